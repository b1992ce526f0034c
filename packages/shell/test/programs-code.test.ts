import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf } from "./told.ts";

describe("code of another language in the arguments or the input is not known", () => {
  test.each([
    "python3 -c 'x'",
    "python3 -Bc 'x'",
    "python3 -X dev -c 'x'",
    "python3 -Werror -uc 'x'",
    "python3.12 -c 'x'",
    "python3 - <<'E'\nx\nE",
    "python3 <<< x",
    "cat x | python3",
    "cat x | python3 - a",
    "python3 < x",
    "python3 -m timeit x",
    "python3 -m pdb x.py",
    'python3 "$x"',
    "node -e x",
    "node -p x",
    "node -pe x",
    "node --eval=x",
    "node --print x",
    "node -r ./x.js -e y",
    "echo x | node",
    "deno eval x",
    "bun -e x",
    "tsx -e x",
    "perl -e x",
    "perl -lane x f",
    "perl -0777 -i -pe x f",
    "perl -MPOSIX -e x",
    "perl -M'POSIX;system(1)' x.pl",
    "ruby -e x",
    "ruby -rx -ne y f",
    "php -r x",
    "lua -e x",
    "Rscript -e x",
    "julia -E x",
    "tclsh <<< x",
    "osascript -e x",
    "vim -c ':!id' f",
    "vim +'!id' f",
    "vim --cmd x f",
    "emacs --batch --eval x",
    "gdb -batch -ex '!id'",
    "gdb -batch --eval-command=x",
    "lldb -o x",
    "sqlite3 db '.shell id'",
    "sqlite3 db \"select load_extension('x')\"",
    "psql -c '\\! id'",
    "psql -c 'copy a to program $$id$$'",
    "echo x | psql",
    "mysql -e 'system id'",
    "make --eval='$(shell id)'",
    "make X='$(shell id)'",
    "m4 <<< 'syscmd(id)'",
    "ed f <<< '!id'",
    "sftp -b - h <<< '!id'",
    "pwsh -Command x",
    "fish -c 'rm x'",
    "debugfs -R x /dev/sda",
    "gdb x -ex '!id'",
    "lldb x -o y",
    "node --$x y.js",
    "node -$x",
    "perl -w$x y.pl",
    'python3 "-$x"',
  ])("%s", (line) => expect(doubtsOf(line)).toContain("inline_code"));

  test.each([
    "python3 x.py",
    "python3 manage.py migrate",
    "python3 -u x.py -c y",
    "python3 -m pytest -q",
    "python3 -m http.server",
    "python3 --version",
    "node x.js",
    "node --test",
    "node --watch x.js -e y",
    "node --check x.js",
    "node --max-old-space-size=4096 x.js",
    "perl x.pl -e y",
    "perl -w x.pl",
    "perl -v",
    "ruby x.rb",
    "php x.php",
    "php -l x.php",
    "deno run -A x.ts",
    "bun run build",
    "tsx x.ts",
    "vim +12 f",
    "sqlite3 db 'select 1'",
    "psql -c 'select 1' db",
    "make test",
    "gdb x",
    "jq .a f",
  ])("%s is known", (line) => expect(doubtsOf(line)).toEqual([]));

  test("a module that runs is a hazard where it is named, a loaded file where it is loaded", () => {
    expect(hazardsOf("python3 -m pytest")).toEqual(["pytest:run"]);
    expect(hazardsOf("node --import ./x.js y.js")).toEqual(["--import:load"]);
    expect(hazardsOf("node --test --require=./x.js")).toEqual(["--require=./x.js:load"]);
    expect(hazardsOf("perl -I/tmp x.pl")).toEqual(["-I/tmp:load"]);
  });
});

describe("a sed script that hides a command behind what sed programs read differently is not trusted", () => {
  test.each([
    "sed 's/[/]/x/;1e id #]/' f",
    "sed -i 's/a/b/;w out' f",
    "sed '/[/]/e id' f",
    "sed 's,a,b,w out' f",
    "sed '$!{s/a/b/e}' f",
    "sed -z 's/a/b\\\n/e' f",
    "sed -e 's/a/b/' -e w\\ out f",
    "sed '/a/I,/b/Me id' f",
    "sed '0~3!e' f",
    "sed 'y/a/b/;e' f",
    "sed k f",
  ])("%s", (line) => expect(hazardsOf(line)).not.toEqual([]));
});

describe("an awk program that hides a command is found", () => {
  test.each([
    'awk \'{ if (a) /b"/; system("id") }\' f',
    "awk '{ x = y / z; system(\"id\"); w = 1 / 2 }' f",
    "awk '{ print > $1 }' f",
    "awk '{ print >> \"out\" }' f",
    'awk \'{ printf("%s", $1) > "out" }\' f',
    "awk '{ while ((getline line < \"f\") > 0) print line }' f",
    "awk '{ print |& \"id\" }' f",
    "awk 'system (\"id\")' f",
    "awk '@include \"x\"' f",
    "awk 'BEGIN { ARGV[1] = \"/etc/passwd\"; ARGC = 2 }'",
    "awk '/[/]/ { system(\"id\") }' f",
    "awk '{ print > \"/inet/tcp/0/h/80\" }' f",
  ])("%s", (line) => expect(hazardsOf(line)).not.toEqual([]));
});
