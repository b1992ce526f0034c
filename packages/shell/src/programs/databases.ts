import type { Hazard, Word } from "../analysis.ts";
import { hostOf, hostsOf } from "./hosts.ts";
import { file, hazard, inlineCode, network, runScript, unknown, type Out } from "./out.ts";
import { names } from "./package-tools.ts";
import type { Spec } from "./spec.ts";
import { mayTouch } from "./touch.ts";
import { usedOf, valueOf, type Use } from "./use.ts";
import { after, known, prefix } from "./words.ts";

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
function servers(use: Use, out: Out): void {
  for (const name of ["dbname", "uri"]) for (const used of usedOf(use, name)) connection(valueOf(used), out);
  for (const { word } of use.operands) connection(word, out);
}

/** `mongosh host:port/database`. */
function mongo(use: Use, out: Out): void {
  servers(use, out);
  const [first] = use.operands;
  const text = first?.word.text;
  if (first !== undefined && text !== undefined && !text.includes("://") && /[./:]/.test(text) && !/\.[mc]?js$/.test(text))
    network(out, hostOf(first.word));
}

// What runs programs, reads or writes files in the statements of any server.
const RUNS = String.raw`\bprogram\b|\b(?:outfile|dumpfile|load_file|load_extension|writefile|readfile|edit|lo_export|lo_import|xp_cmdshell|infile)\b`;
const BY_CLIENT = {
  // All commands of psql but those that show, and no backtick, which runs a program inside of them.
  psql: [
    new RegExp(
      String.raw`\\(?!(?:d[A-Za-z+]*|l\+?|x|a|t|H|z|n\w*|b\w*|x[0-9a-f]+|gx?(?=\s*(?:;|$|\n))|timing|conninfo|pset|encoding|echo|qecho|warn|errverbose|sf\+?|sv\+?|q|h|\?|copyright|if|elif|else|endif|unset)(?:[\s;']|$))|${RUNS}|\bcopy\b(?!\s+(?:[\w."]{1,128}|\([^()]{0,1024}\))\s+(?:to\s+stdout|from\s+stdin)\b)|\bpg_(?:read|ls|stat)_(?:binary_)?(?:file|dir)\b|\bpl\w{1,32}u\b|\b(?:extension|system)\b`,
      "i",
    ),
  ],
  // Of its commands a letter says by its case what it does: `\G` sends a statement.
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
  (use: Use, out: Out): void => {
    servers(use, out);
    const runs = (text: string): boolean =>
      BY_CLIENT[name].some((one) => one.test(text)) || (name === "psql" && text.includes("\\") && text.includes("`"));
    const texts = [
      ...use.operands.slice(first),
      ...use.options.flatMap(({ option, at, value }) => (option.name === "sql" && value !== undefined ? [{ at, word: value }] : [])),
    ];
    for (const { at, word } of texts) {
      if (word.text === undefined || runs(word.text)) inlineCode(out, at, `statements of \`${name}\` that can run programs`);
    }
    const { input } = out;
    if (input.kind === "file") file(out, "execute", input.path);
    else if (input.kind === "pipe" && texts.length === 0) unknown(out, "inline_code", `statements in the input of \`${name}\``);
    else if (input.kind === "text" && (input.text === undefined || runs(input.text))) {
      unknown(out, "inline_code", `statements in the input of \`${name}\` that can run programs`);
    }
    // What is written goes through a pipe where the name of the file begins so.
    for (const used of usedOf(use, "output")) {
      const value = valueOf(used);
      if (prefix(value).startsWith("|")) runScript(out, used.at, after(value, 1));
      else file(out, "write", value);
    }
    for (const { word } of name === "sqlite3" ? use.operands.slice(0, first) : []) {
      file(out, "read", word);
      file(out, "write", word);
    }
  };

const MYSQL: Spec = {
  options: `-e,--execute,--sql= -h,--host=host -P,--port= -u,--user= -p,--password? -D,--database= --defaults-file=load!l --defaults-extra-file=load!l --defaults-group-suffix= --login-path= --init-command,--sql= --init-command-add,--sql=
    --tee=write!w --pager?!r --plugin-dir=load!l --default-auth= --local-infile?!s --protocol= -S,--socket= --ssl-mode= --ssl-ca=read --ssl-capath=read --ssl-cert=read --ssl-key=read --ssl --skip-ssl
    --connect-timeout= --default-character-set= --max-allowed-packet= --delimiter= --prompt= --enable-cleartext-plugin!c --no-defaults --print-defaults --binary-mode --system-command?!r -C --compress
    -A,--no-auto-rehash -B,--batch -N,--skip-column-names -E,--vertical -H,--html -X,--xml -q,--quick -s,--silent -r,--raw -t,--table -v,--verbose -f,--force -n,--unbuffered --json --safe-updates --column-names
    -V,--version -?,--help`,
  inert: "version help",
  more: sql(99, "mysql"),
};

const REDIS_DOES: readonly (readonly [RegExp, Hazard["does"]])[] = [
  [/^flush(?:all|db)$/, "delete"],
  [/^(?:eval|evalsha|eval_ro|fcall|script|function|module)$/, "run"],
  [/^(?:migrate|replicaof|slaveof|sync|psync)$/, "send"],
  [/^(?:shutdown|debug|save|bgsave|bgrewriteaof|failover|acl|cluster|swapdb|monitor)$/, "configure"],
];

function redis(use: Use, out: Out): void {
  const [first, second] = use.operands;
  if (first === undefined) return;
  const name = first.word.text?.toLowerCase() ?? "";
  for (const [names, does] of REDIS_DOES) if (names.test(name)) hazard(out, first.at, does);
  // The settings name the folder and the file that the server writes.
  if (name === "config" && second?.word.text?.toLowerCase() !== "get") hazard(out, first.at, "configure");
  if (/^(?:replicaof|slaveof|migrate)$/.test(name) && second !== undefined) network(out, hostOf(second.word));
}

const CONNECTS =
  "-h,--host=host -U,--username= -p,--port= -w,--no-password -W,--password -v,--verbose -V,--version -?,--help --role= -e,--echo";
const PG_DUMP: Spec = {
  options: `${CONNECTS} -d,--dbname= -f,--file=write!w -F,--format= -j,--jobs= -Z,--compress= -t,--table= -T,--exclude-table= -n,--schema= -N,--exclude-schema= -E,--encoding= -S,--superuser= -a,--data-only -s,--schema-only -c,--clean
    -C,--create -O,--no-owner -x,--no-privileges -b,--large-objects -B --if-exists --inserts --column-inserts --section= --snapshot= --lock-wait-timeout= --filter=read!l --extension= --no-sync --globals-only -g -r,--roles-only -l,--database=`,
  inert: "version help",
  more: servers,
};
const PG_RESTORE: Spec = {
  options: `${PG_DUMP.options ?? ""} -L,--use-list=read -I,--index= -P,--function= -1,--single-transaction --list`,
  operands: "read*",
  inert: "version help",
  more: (use, out) => {
    servers(use, out);
    for (const { at } of usedOf(use, "clean")) hazard(out, at, "delete");
  },
};
const MYSQL_DUMP: Spec = {
  options: `${(MYSQL.options ?? "").replace("-r,--raw", "-r,--result-file=write!w").replace("-T,", "")} -T,--tab=write!w --single-transaction --all-databases -A --databases -B --no-data -d --routines --triggers --events --where= -w= --ignore-table=
    --add-drop-table --skip-add-drop-table --hex-blob --quick --opt --skip-opt --set-gtid-purged= --column-statistics= --source-data? --master-data? --flush-logs!c --delete-source-logs!d --delete-master-logs!d --log-error=write!w`,
  inert: "version help",
  more: servers,
};
const MONGO = `-h,--host=host -u,--username= -p,--password? --port= --uri= -d,--db= -c,--collection= -q,--query= --queryFile=read -f,--fields= --fieldFile=read --type= --sort= --limit= --skip= --config=load!l --authenticationDatabase=
  --authenticationMechanism= --ssl --sslCAFile=read --sslPEMKeyFile=read --gzip --quiet -v,--verbose --version --help -j= --readPreference= --numInsertionWorkers= --pretty --jsonArray --drop!d --headerline --upsert --mode= --nsInclude= --nsExclude=
  --nsFrom= --nsTo= --dir=read`;
const mongoTool = (more: string, operands?: string): Spec => ({
  options: `${MONGO} ${more}`,
  ...(operands === undefined ? {} : { operands }),
  inert: "version help",
  network: true,
  more: servers,
});

// The name of a database, and for some a user; nothing of this machine.
const ADMIN: Spec = { options: `${CONNECTS} -d,--dbname= -i,--interactive -f,--force --if-exists --maintenance-db=`, more: servers };

const CLIENT: Spec = {
  options: "-h,--host=host -d,--dbname,--database= -u,--uri= -U,--username= -p,--port= -P= -w -W --url,--uri=",
  carries: true,
  more: (use, out) => {
    servers(use, out);
    mayTouch(out, 1);
  },
};

/** Clients of databases, with what their own commands do here. */
export const DATABASES: Readonly<Record<string, Spec>> = {
  // Of these no more is known than how they name the server.
  ...names(
    `pg_basebackup pg_isready pgbench pgcli vacuumdb reindexdb clusterdb mysqladmin mysqlimport mysqlcheck mysqlshow mysqlsh mariadb-admin mycli usql clickhouse-client`,
    CLIENT,
  ),
  psql: {
    options: `-c,--command,--sql= -d,--dbname= -f,--file=load!l -h,--host=host -p,--port= -U,--username= -w,--no-password -W,--password -v,--set,--variable= -P,--pset= -o,--output=!w -L,--log-file=write!w
      -X,--no-psqlrc -A,--no-align -t,--tuples-only -q,--quiet -s,--single-step -S,--single-line -1,--single-transaction -F,--field-separator= -R,--record-separator= -T,--table-attr= -x,--expanded -z -0 -a,--echo-all -b,--echo-errors
      -e,--echo-queries -E,--echo-hidden -H,--html --csv -l,--list -n,--no-readline -V,--version -?,--help`,
    inert: "version help",
    more: sql(99, "psql"),
  },
  sqlite3: {
    options:
      "-cmd,--cmd,--sql= -init,--init=load!l -readonly -safe -memory -nofollow -csv -json -header -noheader -column -line -list -html -ascii -quote -tabs -batch -bail -separator= -newline= -nullvalue= -maxsize= -mmap= -vfs= -zip -A!w -append!w -deserialize -version,--version -help,--help -interactive -echo -markdown -table -box -stats",
    posix: false,
    inert: "version help",
    more: sql(1, "sqlite3"),
  },
  mysql: MYSQL,
  mariadb: MYSQL,
  mongosh: {
    options: `--eval=code!r -f,--file=load!l --host=host --port= -u,--username= -p,--password? --authenticationDatabase= --tlsCAFile=read --tlsCertificateKeyFile=read --tls --json? --shell --quiet --nodb --norc --version -h,--help`,
    operands: "data exec*",
    inert: "version help",
    more: mongo,
  },
  mongo: {
    options: "--eval=code!r -f,--file=load!l --host=host --port= -u,--username= -p,--password? --shell --quiet --nodb --norc",
    operands: "data exec*",
    more: mongo,
  },
  "redis-cli": {
    options:
      "-h=host -p= -a= -n= -t= -r= -i= -d= -D= -u=url -s= -x -X= -c -e -2 -3 --user= --pass= --askpass --eval=load!l --rdb=write!w --functions-rdb=write!w --pipe!s --pipe-timeout= --cluster!c --replica --slave --tls --cacert=read --cacertdir=read --cert=read --key=read --sni= --insecure!c --raw --no-raw --csv --json --quoted-json --scan --pattern= --quoted-pattern= --count= --stat --latency --latency-history --latency-dist --bigkeys --memkeys --hotkeys --lru-test= --ldb!r --ldb-sync-mode!r --intrinsic-latency= --no-auth-warning --show-pushes= --verbose --version --help",
    posix: true,
    network: true,
    more: redis,
  },
  pg_dump: PG_DUMP,
  pg_dumpall: PG_DUMP,
  pg_restore: PG_RESTORE,
  mysqldump: MYSQL_DUMP,
  "mariadb-dump": MYSQL_DUMP,
  ...names("createdb createuser dropdb dropuser", ADMIN),
  mongodump: mongoTool("-o,--out=write!w --archive?write!w --oplog --dumpDbUsersAndRoles"),
  mongoexport: mongoTool("-o,--out=write!w"),
  mongorestore: mongoTool("--archive?read --oplogReplay", "read*"),
  mongoimport: mongoTool("--file=read", "read*"),
};
