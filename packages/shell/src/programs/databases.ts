import type { Word } from "../analysis.ts";
import { hostOf, hostsOf } from "./hosts.ts";
import { network, type Out } from "./out.ts";
import { names } from "./package-tools.ts";
import type { Spec } from "./spec.ts";
import { mayTouch } from "./touch.ts";
import { usedOf, valueOf, type Use } from "./use.ts";
import { known, prefix } from "./words.ts";

const SETTING = /(?:^|[\s?&])(host|hostaddr|service)\s{0,8}=\s{0,8}'?([^'\s&]{0,1024})/g;

// A URL, or `host=… port=…`. Anything else is the name of a database.
function connection(word: Word, out: Out): void {
  const start = prefix(word).slice(0, 4096);
  if (start === "" && word.text === undefined) network(out, undefined);
  if (/^[\w+.-]{1,32}:\/\/[^/?]/.test(start)) for (const host of hostsOf(word)) network(out, host);
  for (const [, key, value = ""] of start.matchAll(SETTING)) {
    if (key === "service") network(out, undefined);
    else for (const host of value.split(",")) if (!/^(?:\/|%2f|@|$)/i.test(host)) network(out, hostOf(known(host)));
  }
}

/** The servers that the options and the operands of a database client name. */
export function servers(use: Use, out: Out): void {
  for (const name of ["dbname", "uri"]) for (const used of usedOf(use, name)) connection(valueOf(used), out);
  for (const { word } of use.operands) connection(word, out);
}

/** `mongosh host:port/database`. */
export function mongo(use: Use, out: Out): void {
  servers(use, out);
  const [first] = use.operands;
  const text = first?.word.text;
  if (first !== undefined && text !== undefined && !text.includes("://") && /[./:]/.test(text) && !/\.[mc]?js$/.test(text))
    network(out, hostOf(first.word));
}

const CLIENT: Spec = {
  options: "-h,--host=host -d,--dbname,--database= -u,--uri= -U,--username= -p,--port= -P= -w -W --url,--uri=",
  carries: true,
  more: (use, out) => {
    servers(use, out);
    mayTouch(out, 1);
  },
};

/** Clients of which no more is known than how they name the server. */
export const DATABASES: Readonly<Record<string, Spec>> = names(
  `pg_dump pg_dumpall pg_restore pg_basebackup pg_isready pgbench pgcli createdb dropdb createuser dropuser vacuumdb reindexdb clusterdb
  mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlsh mariadb-dump mariadb-admin mycli mongodump mongorestore mongoexport mongoimport usql clickhouse-client`,
  CLIENT,
);
