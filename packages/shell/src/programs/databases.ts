import type { Hazard } from "../analysis.ts";
import { hostOf } from "./hosts.ts";
import {
  file,
  hazard,
  inlineCode,
  network,
  noteInput,
  runScript,
  unknown,
  type Findings,
} from "./findings.ts";
import { names } from "./package-tools.ts";
import { hasOption, optionsNamed, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { noteAnyFiles } from "./any-files.ts";
import { after, prefix } from "./word-text.ts";
import { type OptionGroup, kind, many, options } from "./option-groups.ts";
import { servers } from "./connections.ts";

/** `mongosh host:port/database`. */
function mongo(use: ParsedArgs, out: Findings): void {
  servers(use, out);
  const [first] = use.operands;
  const text = first?.word.text;
  if (
    first !== undefined &&
    text !== undefined &&
    !text.includes("://") &&
    /[./:]/.test(text) &&
    !/\.[mc]?js$/.test(text)
  )
    network(out, hostOf(first.word));
}

// Statements of any server that run programs, or read or write files.
const RUNS = String.raw`\bprogram\b|\b(?:outfile|dumpfile|load_file|load_extension|writefile|readfile|edit|lo_export|lo_import|xp_cmdshell|infile)\b`;
const BY_CLIENT = {
  // psql commands, except those that only show something. A backtick in any of them runs a program.
  psql: [
    new RegExp(
      String.raw`\\(?!(?:d[A-Za-z+]*|l\+?|x|a|t|H|z|n\w*|b\w*|x[0-9a-f]+|gx?(?=\s*(?:;|$|\n))|timing|conninfo|pset|encoding|echo|qecho|warn|errverbose|sf\+?|sv\+?|q|h|\?|copyright|if|elif|else|endif|unset)(?:[\s;']|$))|${RUNS}|\bcopy\b(?!\s+(?:[\w."]{1,128}|\([^()]{0,1024}\))\s+(?:to\s+stdout|from\s+stdin)\b)|\bpg_(?:read|ls|stat)_(?:binary_)?(?:file|dir)\b|\bpl\w{1,32}u\b|\b(?:extension|system)\b`,
      "i",
    ),
  ],
  // The case of a command letter matters: `\G` sends a statement.
  mysql: [
    /\\[!.PTer]/,
    new RegExp(
      String.raw`${RUNS}|\b(?:system|source|tee|pager)\b|(?:^|[;\n])\s*connect\b|\binstall\s+(?:plugin|component)\b|\bsoname\b`,
      "i",
    ),
  ],
  sqlite3: [
    new RegExp(
      String.raw`(?:^|\n)\s*\.(?!(?:tables|schema|fullschema|databases|indexes|indices|headers?|mode|show|help|timer|nullvalue|separator|explain|width|stats|bail|quit|exit|dump)(?:\s[^|]*)?$)|${RUNS}|\battach\b|\bvacuum\b(?!\s*(?:;|$))`,
      "i",
    ),
  ],
} as const;

const sql =
  (first: number, name: keyof typeof BY_CLIENT) =>
  (use: ParsedArgs, out: Findings): void => {
    servers(use, out);
    const runs = (text: string): boolean =>
      BY_CLIENT[name].some((one) => one.test(text)) ||
      (name === "psql" && text.includes("\\") && text.includes("`"));
    const texts = [
      ...use.operands.slice(first),
      ...use.options.flatMap(({ option, at, value }) =>
        option.name === "sql" && value !== undefined ? [{ at, word: value }] : [],
      ),
    ];
    for (const { at, word } of texts) {
      if (word.text === undefined || runs(word.text))
        inlineCode(out, at, `statements of \`${name}\` that can run programs`);
    }
    const { input } = out;
    noteInput(out);
    if (input.kind === "file") file(out, "execute", input.path);
    else if (input.kind === "pipe" && texts.length === 0)
      unknown(out, "inline_code", `statements in the input of \`${name}\``);
    else if (input.kind === "text" && (input.text === undefined || runs(input.text))) {
      unknown(out, "inline_code", `statements in the input of \`${name}\` that can run programs`);
    }
    // A file name that starts with a pipe runs a program.
    for (const used of optionsNamed(use, "output")) {
      const value = valueOf(used);
      if (prefix(value).startsWith("|")) runScript(out, used.at, after(value, 1));
      else file(out, "write", value);
    }
    for (const { word } of name === "sqlite3" ? use.operands.slice(0, first) : []) {
      file(out, "read", word);
      file(out, "write", word);
    }
  };

const MYSQL_SHARED = options`--no-defaults --binary-mode -C -A,--no-auto-rehash -B,--batch -E,--vertical -X,--xml -q,--quick -s,--silent
  -t,--table -v,--verbose -f,--force --json --safe-updates -V,--version ${kind.value} -e,--execute,--sql -P,--port -u,--user -D,--database
  --defaults-group-suffix --login-path --init-command,--sql --init-command-add,--sql --default-auth --protocol -S,--socket --ssl-mode
  --connect-timeout --default-character-set --max-allowed-packet --delimiter --prompt ${kind.takes("host")} -h,--host ${kind.optional}
  -p,--password ${kind.load} --defaults-file --defaults-extra-file ${kind.write} --tee ${kind.of("glued", { does: "run" })} --pager
  --system-command ${kind.load} --plugin-dir ${kind.of("glued", { does: "send" })} --local-infile ${kind.read} --ssl-ca --ssl-capath
  --ssl-cert --ssl-key ${kind.flag} --ssl --skip-ssl --print-defaults --compress -N,--skip-column-names -H,--html -n,--unbuffered
  --column-names ${kind.flagThat("configure")} --enable-cleartext-plugin`;

const MYSQL: Spec = {
  options: options`${MYSQL_SHARED} -r,--raw`,
  inert: "version help",
  more: sql(99, "mysql"),
};

const REDIS_DOES: readonly (readonly [RegExp, Hazard["does"]])[] = [
  [/^flush(?:all|db)$/, "delete"],
  [/^(?:eval|evalsha|eval_ro|fcall|script|function|module)$/, "run"],
  [/^(?:migrate|replicaof|slaveof|sync|psync)$/, "send"],
  [
    /^(?:shutdown|debug|save|bgsave|bgrewriteaof|failover|acl|cluster|swapdb|monitor)$/,
    "configure",
  ],
];

function redis(use: ParsedArgs, out: Findings): void {
  if (!hasOption(use, "h u")) network(out, "localhost");
  const [first, second] = use.operands;
  if (first === undefined) return;
  const name = first.word.text?.toLowerCase() ?? "";
  for (const [names, does] of REDIS_DOES) if (names.test(name)) hazard(out, first.at, does);
  // The settings name the directory and file that the server writes.
  if (name === "config" && second?.word.text?.toLowerCase() !== "get")
    hazard(out, first.at, "configure");
  if (/^(?:replicaof|slaveof|migrate)$/.test(name) && second !== undefined)
    network(out, hostOf(second.word));
}

const CONNECTS = options`-w,--no-password -v,--verbose -V,--version -e,--echo ${kind.takes("host")} -h,--host ${kind.value} -U,--username
  -p,--port --role ${kind.flag} -W,--password`;
const PG_DUMP: Spec = {
  options: options`${CONNECTS} -O,--no-owner -x,--no-privileges -b,--large-objects -B --if-exists --inserts --no-sync --globals-only -g
    -r,--roles-only ${kind.value} -d,--dbname -F,--format -j,--jobs -Z,--compress -t,--table -T,--exclude-table -n,--schema
    -N,--exclude-schema -E,--encoding -S,--superuser --section --snapshot --lock-wait-timeout --extension ${kind.write} -f,--file
    ${kind.flag} -a,--data-only -s,--schema-only -c,--clean -C,--create --column-inserts ${kind.takes("read", "load")} --filter
    ${kind.value} -l,--database`,
  inert: "version help",
  more: servers,
};
const PG_RESTORE: Spec = {
  options: options`${PG_DUMP.options ?? []} -1,--single-transaction --list ${kind.read} -L,--use-list ${kind.value} -I,--index
    -P,--function`,
  operands: [many("read")],
  inert: "version help",
  more: (use, out) => {
    servers(use, out);
    for (const { at } of optionsNamed(use, "clean")) hazard(out, at, "delete");
  },
};
const MYSQL_DUMP: Spec = {
  options: options`${MYSQL_SHARED} --single-transaction --all-databases -A --databases -B --no-data -d --routines --triggers --events
    --add-drop-table --skip-add-drop-table --hex-blob --quick --opt --skip-opt ${kind.write} -r,--result-file -T,--tab --log-error
    ${kind.value} --where -w --ignore-table --set-gtid-purged --column-statistics ${kind.optional} --source-data --master-data
    ${kind.flagThat("configure")} --flush-logs ${kind.flagThat("delete")} --delete-source-logs --delete-master-logs`,
  inert: "version help",
  more: servers,
};
const MONGO = options`--gzip -v,--verbose --version --jsonArray ${kind.takes("host")} -h,--host ${kind.value} -u,--username --uri -d,--db
  -c,--collection -q,--query -f,--fields --type --sort --limit --skip --authenticationDatabase --authenticationMechanism -j
  --readPreference --numInsertionWorkers --mode --nsInclude --nsExclude --nsFrom --nsTo ${kind.optional} -p,--password ${kind.value}
  --port ${kind.read} --queryFile --fieldFile --dir ${kind.load} --config ${kind.flag} --ssl --quiet --help --pretty --headerline --upsert
  ${kind.read} --sslCAFile --sslPEMKeyFile ${kind.flagThat("delete")} --drop`;
const mongoTool = (more: readonly OptionGroup[], operands?: Spec["operands"]): Spec => ({
  options: options`${MONGO} ${more}`,
  ...(operands === undefined ? {} : { operands }),
  inert: "version help",
  network: true,
  more: servers,
});

// The operands are a database name and sometimes a user, not files.
const ADMIN: Spec = {
  options: options`${CONNECTS} -i,--interactive -f,--force --if-exists ${kind.value} -d,--dbname --maintenance-db`,
  more: servers,
};

const CLIENT: Spec = {
  options: options`-w -W ${kind.takes("host")} -h,--host ${kind.value} -d,--dbname,--database -u,--uri -U,--username -p,--port -P
    --url,--uri`,
  carries: true,
  more: (use, out) => {
    servers(use, out);
    noteAnyFiles(out, 1);
  },
};

/** Database clients, with the effects of their commands on this machine. */
export const DATABASES: Readonly<Record<string, Spec>> = {
  // For these, only the options that name a server are known.
  ...names(
    `pg_basebackup pg_isready pgbench pgcli vacuumdb reindexdb clusterdb mysqladmin mysqlimport mysqlcheck mysqlshow mysqlsh mariadb-admin mycli usql clickhouse-client`,
    CLIENT,
  ),
  psql: {
    options: options`-w,--no-password -X,--no-psqlrc -A,--no-align -t,--tuples-only -q,--quiet -x,--expanded -z -0 -a,--echo-all
      -b,--echo-errors -e,--echo-queries -E,--echo-hidden -l,--list -n,--no-readline ${kind.value} -c,--command,--sql -d,--dbname
      -p,--port -U,--username -v,--set,--variable -P,--pset -F,--field-separator -R,--record-separator -T,--table-attr ${kind.load}
      -f,--file ${kind.takes("host")} -h,--host ${kind.flag} -W,--password -s,--single-step -S,--single-line -1,--single-transaction
      -H,--html --csv -V,--version ${kind.valueThat("write")} -o,--output ${kind.write} -L,--log-file`,
    inert: "version help",
    more: sql(99, "psql"),
  },
  sqlite3: {
    options: options`-readonly -safe -memory -nofollow -csv -json -header -noheader -column -line -list -html -ascii -quote -tabs -batch
      -bail -zip -deserialize -version,--version -help,--help -interactive -echo -markdown -table -box -stats ${kind.value}
      -cmd,--cmd,--sql -separator -newline -nullvalue -maxsize -mmap -vfs ${kind.load} -init,--init ${kind.flagThat("write")} -A -append`,
    posix: false,
    inert: "version help",
    more: sql(1, "sqlite3"),
  },
  mysql: MYSQL,
  mariadb: MYSQL,
  mongosh: {
    options: options`--shell --quiet --nodb --norc --version ${kind.code} --eval ${kind.load} -f,--file ${kind.takes("host")} --host
      ${kind.value} --port -u,--username --authenticationDatabase ${kind.optional} -p,--password --json ${kind.read} --tlsCAFile
      --tlsCertificateKeyFile ${kind.flag} --tls -h,--help`,
    operands: ["data", many("exec")],
    inert: "version help",
    more: mongo,
  },
  mongo: {
    options: options`--shell --quiet --nodb --norc ${kind.code} --eval ${kind.load} -f,--file ${kind.takes("host")} --host ${kind.value}
      --port -u,--username ${kind.optional} -p,--password`,
    operands: ["data", many("exec")],
    more: mongo,
  },
  "redis-cli": {
    options: options`-x -c -e -2 -3 --askpass --replica --slave --tls --raw --no-raw --csv --json --quoted-json --scan --stat --latency
      --latency-history --latency-dist --bigkeys --memkeys --hotkeys --no-auth-warning --verbose --version --help ${kind.takes("host")} -h
      ${kind.value} -p -a -n -t -r -i -d -D -s -X --user --pass --pipe-timeout --sni --pattern --quoted-pattern --count --lru-test
      --intrinsic-latency --show-pushes ${kind.takes("url")} -u ${kind.load} --eval ${kind.write} --rdb --functions-rdb
      ${kind.flagThat("send")} --pipe ${kind.flagThat("configure")} --cluster --insecure ${kind.read} --cacert --cacertdir --cert --key
      ${kind.flagThat("run")} --ldb --ldb-sync-mode`,
    posix: true,
    more: redis,
  },
  pg_dump: PG_DUMP,
  pg_dumpall: PG_DUMP,
  pg_restore: PG_RESTORE,
  mysqldump: MYSQL_DUMP,
  "mariadb-dump": MYSQL_DUMP,
  ...names("createdb createuser dropdb dropuser", ADMIN),
  mongodump:
    mongoTool(options`--oplog --dumpDbUsersAndRoles ${kind.write} -o,--out ${kind.of("glued", { role: "write", does: "write" })}
    --archive`),
  mongoexport: mongoTool(options`${kind.write} -o,--out`),
  mongorestore: mongoTool(options`--oplogReplay ${kind.of("glued", { role: "read" })} --archive`, [
    many("read"),
  ]),
  mongoimport: mongoTool(options`${kind.read} --file`, [many("read")]),
};
