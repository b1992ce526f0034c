import type { Word } from "../analysis.ts";
import { known, prefix } from "./word-text.ts";

/** All hosts in a URL or a comma-separated list. */
export function hostsOf(word: Word): readonly (string | undefined)[] {
  const { text } = word;
  if (text?.includes(",") !== true || text.length > 4096) return [hostOf(word)];
  const [, scheme = "", rest = ""] = /^([\w+.-]{1,32}:\/\/)?([^]*)$/.exec(text) ?? [];
  const end = scheme === "" ? -1 : rest.search(/[/?#]/);
  const hosts = (end < 0 || rest.includes("://") ? rest : rest.slice(0, end))
    .split(/[,|]/)
    .filter((host) => host !== "");
  return hosts.map((host) => hostOf(known(host)));
}

/** The host in a URL, `user@host:path` or `host`. Undefined if unknown. */
export function hostOf(word: Word): string | undefined {
  let start = prefix(word);
  if (start.length > 4096) return undefined;
  const scheme = start.indexOf("://");
  let whole = word.text !== undefined;
  if (scheme >= 0) {
    start = start.slice(scheme + 3);
    const end = start.search(/[/?#\\]/);
    if (end >= 0) {
      start = start.slice(0, end);
      whole = true;
    }
  } else {
    const end = start.search(/[/?#]/);
    if (end >= 0) {
      start = start.slice(0, end);
      whole = true;
    }
  }
  const sign = start.lastIndexOf("@");
  if (sign >= 0) start = start.slice(sign + 1);
  if (start.startsWith("[")) {
    const close = start.indexOf("]");
    return close < 0 ? undefined : start.slice(1, close).toLowerCase();
  }
  const colon = start.indexOf(":");
  if (colon >= 0) {
    start = start.slice(0, colon);
    whole = true;
  }
  if (!whole || start === "" || /[{}*%]/.test(start)) return undefined;
  return start.toLowerCase().replace(/\.$/, "");
}
