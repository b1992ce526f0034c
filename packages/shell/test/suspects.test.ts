import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { doubtsOf, hazardsOf } from "./told.ts";
import { shown } from "./kit.ts";

const suspects = (line: string): readonly string[] =>
  analyze(line)
    .commands.filter(({ origin }) => origin === "sight")
    .map(({ argv }) => argv.map(shown).join(" "));

describe("text in the words of a program that may run it", () => {
  test.each([
    ["frob 'rm -rf build'", ["rm -rf build"]],
    ["frob --do='ls; rm -rf build'", ["ls", "rm -rf build"]],
    ['frob "$(id); rm -rf build"', ["<?>…", "rm -rf build"]],
    ["frob a 'FOO=1 sudo rm x'", ["1 sudo rm x", "sudo rm x"]],
    ["npm pkg set 'scripts.x=rm -rf build'", ["rm -rf build"]],
    ["make CC='rm -rf build'", ["rm -rf build"]],
    ["bun run rm -rf build", ["rm -rf build"]],
    ["python3 -m frob 'rm -rf build'", ["rm -rf build"]],
  ])("%s", (line, commands) => {
    expect(suspects(line)).toEqual(commands);
    expect(doubtsOf(line)).toEqual([]);
  });
  test.each([
    "echo 'rm -rf build'",
    "grep 'rm -rf' x",
    "git commit -m 'rm -rf build'",
    "jq '.a | .b' x",
    "sed 's/a b/c d/' x",
    "frob build",
    "make CFLAGS='-O2 -g'",
    "npm pkg set name=rm",
    "npm pkg get scripts",
    "gcloud compute instances list --filter='a b'",
  ])("%s has none", (line) => expect(suspects(line)).toEqual([]));
  test("prose names no programs but its first word", () => {
    const found = analyze("frob 'please rm it' 'sudo rm it'").commands.filter(
      ({ origin }) => origin === "sight",
    );
    expect(found.map(({ carries }) => carries)).toEqual([false, true]);
  });
  test("an option that tells of a command is a hazard, whatever the program", () => {
    expect(hazardsOf("frob --exec x --evaluate y -z")).toEqual(["--exec:run", "--evaluate:run"]);
    expect(hazardsOf("make CC='rm x'")).toEqual(["CC=rm x:configure", "CC=rm x:run"]);
    expect(hazardsOf("npm pkg set scripts.x='rm y'")).toEqual([
      "set:configure",
      "scripts.x=rm y:run",
    ]);
  });
});

describe("a program that the line writes before it runs it is not known", () => {
  test.each([
    "cp /bin/rm ./x && ./x -rf build",
    "ln -s /bin/rm x; ./x -rf build",
    "cp $(which rm) x; ./x -rf y",
    "mv /bin/rm b; sub/../b -rf y",
    "cp /bin/rm bin/; bin/rm y",
    "curl -o x http://a; ./x",
    "cat > run.sh <<< id; chmod +x run.sh; ./run.sh",
    "echo x | tee run.sh; ./run.sh",
    "cd a; cp /bin/rm x; ./x y",
  ])("%s", (line) => expect(doubtsOf(line)).toContain("dynamic_command"));
  test.each([
    "chmod +x run.sh && ./run.sh",
    "gcc -o a a.c && ./a",
    "make && ./app",
    "cp a b && ./c",
    "npm run build > build.log; ./dist/cli.js",
  ])("%s is known", (line) => expect(doubtsOf(line)).toEqual([]));
});
