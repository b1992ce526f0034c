import type { Word } from "../analysis.ts";
import { hostOf, hostsOf } from "./hosts.ts";
import { network, type Findings } from "./findings.ts";
import { optionsNamed, valueOf } from "./parsed-args.ts";
import type { ParsedArgs } from "./program-spec.ts";
import { known, prefix } from "./word-text.ts";

const SETTING = /(?:^|[\s?&])(host|hostaddr|service)\s{0,8}=\s{0,8}'?([^'\s&]{0,1024})/g;

// Parses a URL or `host=… port=…`. Anything else is a database name.
function connection(word: Word, out: Findings): void {
  const start = prefix(word).slice(0, 4096);
  if (start === "" && word.text === undefined) network(out, undefined);
  if (/^[\w+.-]{1,32}:\/\/[^/?]/.test(start)) for (const host of hostsOf(word)) network(out, host);
  for (const [, key, value = ""] of start.matchAll(SETTING)) {
    if (key === "service") network(out, undefined);
    else
      for (const host of value.split(","))
        if (!/^(?:\/|%2f|@|$)/i.test(host)) network(out, hostOf(known(host)));
  }
}

/** The servers named by the options and operands of a database client. */
export function servers(use: ParsedArgs, out: Findings): void {
  for (const name of ["dbname", "uri"])
    for (const used of optionsNamed(use, name)) connection(valueOf(used), out);
  for (const { word } of use.operands) connection(word, out);
}
