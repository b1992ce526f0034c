import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { commandOf, doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("the input of an interpreter is code by whatever name", () => {
  test.each([
    "python3 /dev/stdin",
    "python3 /dev/fd/0 <<< x",
    "python3 /dev/fd/3 3<f",
    "python3 ../../../dev/stdin",
    "node /proc/self/fd/0",
    "node /proc/self/task/1/fd/0",
    "node /dev/../dev/stdin",
    "perl <(echo x)",
    "ruby -",
    "php /dev//stdin",
    "php -f /dev/stdin",
    "lua /dev/./stdin",
    "Rscript /dev/stdin",
    "tsx /dev/stdin",
    "ts-node /dev/fd/0",
    "bun run -",
    "bun /dev/stdin",
    "deno run /dev/stdin",
    "java /dev/stdin",
    "go run /dev/stdin",
    "pwsh -File /dev/stdin",
    "cd /dev; python3 stdin",
    "bun https://h/x.ts",
    "deno run https://h/x.ts",
    "deno https://h/x.ts",
    "node data:text/javascript,x",
    "php https://h/x",
    "sudo python3 /dev/stdin",
  ])("%s", (line) => expect(doubtsOf(line)).toContain("inline_code"));

  test.each([
    "python3 dev/x.py",
    "node x.js",
    "bun run build",
    "bun run x.ts",
    "deno run x.ts",
    "deno x.ts",
    "go run .",
    "java Main",
    "php x.php",
  ])("%s is known", (line) => expect(doubtsOf(line)).toEqual([]));

  test("code from an address is a connection", () => {
    expect(effectsOf("deno run https://h/x.ts")).toEqual(["network h"]);
    expect(hazardsOf("deno run npm:cowsay")).toEqual(["npm:cowsay:load"]);
  });
});

describe("the words after a script or a task may be a command", () => {
  test.each([
    "python3 w.py",
    "node w.js",
    "tsx w.ts",
    "ruby w.rb",
    "perl w.pl",
    "php w.php",
    "php -f w.php",
    "expect w",
    "npm run x",
    "npm test",
    "yarn run x",
    "yarn workspace a",
    "bun run x",
    "deno run w.ts",
    "deno task x",
    "go run w.go",
    "go test ./... -args",
    "cargo run --",
    "cargo test --",
    "java -jar w.jar",
    "java Main",
    "launchctl submit -l x --",
  ])("%s", (line) => expect(commandOf(`${line} rm -rf x`).carries).toBe(true));

  test.each([
    "python3 w.py",
    "node --test",
    "npm test",
    "npm run build",
    "cargo build --release",
    "go run .",
    "java -jar w.jar",
    "go test ./...",
  ])("%s has none", (line) => expect(commandOf(line).carries).toBe(false));

  test("only a deny is about them", () => {
    expect(hazardsOf("node w.js --exec rm")).toEqual([]);
    expect(analyze("node w.js 'rm -rf x'").commands.slice(1)).toMatchObject([{ origin: "sight" }]);
  });
});

describe("only a program of the system is the one of its name", () => {
  test.each([
    "./echo",
    "../bin/echo",
    "~/echo",
    "/tmp/echo",
    "bin/echo",
    "/bin/../tmp/echo",
    "/usr/bin/../../tmp/echo",
  ])("%s is not", (program) => {
    const { carries, effects } = commandOf(`${program} rm -rf x`);
    expect(carries).toBe(true);
    expect(effects).toContainEqual({ kind: "write", path: { text: "x" } });
  });

  test.each([
    "echo",
    "/bin/echo",
    "/usr/bin/echo",
    "/usr/local/bin/echo",
    "/opt/homebrew/bin/echo",
  ])("%s is", (program) => expect(commandOf(`${program} rm -rf x`).carries).toBe(false));

  test("what the table says stays", () => {
    expect(hazardsOf("./sort -o x f")).toContain("-o:write");
    expect(runsOf("./sudo rm x")).toContain("rm x");
    expect(hazardsOf("./ls --output=x")).toContain("--output=x:write");
  });
});

describe("a GNU tool with a `g` before its name is that tool", () => {
  test("by its table, and for a deny", () => {
    expect(hazardsOf("gsed -i s/a/b/ f")).toEqual(["-i:write"]);
    expect(hazardsOf("gtar xf a.tar")).toEqual(["xf:write"]);
    expect(hazardsOf("gfind . -delete")).toEqual(["-delete:delete"]);
    expect(effectsOf("gcp a b")).toEqual(effectsOf("cp a b"));
    expect(effectsOf("grm -rf x")).toEqual(["delete+ x"]);
    expect(runsOf("grm -rf x")).toEqual(["rm -rf x"]);
    expect(analyze("grm -rf x").commands[1]?.origin).toBe("sight");
  });

  test("no other name with a `g` is", () => {
    expect(runsOf("git status")).toEqual([]);
    expect(runsOf("gh pr list")).toEqual([]);
    expect(commandOf("gfrob x").carries).toBe(true);
  });
});
