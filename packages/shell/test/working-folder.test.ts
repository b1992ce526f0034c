import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { callsOf } from "./bash.ts";
import { codesOf } from "./kit.ts";
import { numbers, randomScript, type ScriptParts } from "./random.ts";

const argumentIn = (line: string, cwd?: string): string | undefined =>
  analyze(line, { cwd }).commands.find(({ argv }) => argv[0]?.text === "cat")?.argv[1]?.text;

describe("the working folder", () => {
  it.each(readCases<[string, string]>(import.meta, "known"))(
    "is known in `%s`",
    (line, expected) => {
      expect(argumentIn(line, "/w")).toBe(expected);
      expect(argumentIn(line)).toBeUndefined();
    },
  );

  it.each(readCases<string>(import.meta, "unknown"))("is unknown in `%s`", (line) => {
    expect(argumentIn(line, "/w")).toBeUndefined();
  });

  it.each(["/a b", "/a*", "/a/../b", "a", "/a'b", "/a\nb"])("is not used if it is %j", (cwd) => {
    expect(argumentIn('cat "$PWD/x"', cwd)).toBeUndefined();
  });
});

// Commands that change the working folder and its variable in many ways.
const partsOf = (pick: <T>(items: readonly T[]) => T): ScriptParts => {
  const use = pick(['pwned "$PWD/x"', "pwned $(pwd)", "pwned $PWD", 'pwned "$f"', "pwned $f/x"]);
  const simple = [use, use, use, "f=$(pwd)", 'f="$PWD/a"', "cd a", "cd b", "cd a/b", "cd .."];
  const odd = [
    "cd -",
    "cd missing",
    "pushd a",
    "popd",
    "PWD=/z",
    "PWD=/z cd a",
    "read PWD <<< /z",
    "printf -v PWD /z",
    "declare PWD=/z",
    "unset PWD",
    ": ${PWD:=/z}",
    'PWD=/z pwned "$PWD"',
    "trap 'PWD=/z' DEBUG",
    "eval 'cd a'",
    "pwd() { echo /z; }",
    "cd() { PWD=/z; }",
    "CDPATH=a",
  ];
  return { loops: [`${pick(["i", "PWD"])} in a /z`], simple, odd };
};

it("has the path that bash has, wherever it is known", () => {
  const next = numbers(11);
  const cwd = realpathSync(temporaryFolder());
  mkdirSync(join(cwd, "a/b"), { recursive: true });
  mkdirSync(join(cwd, "b"));
  const lines = Array.from({ length: 1_500 }, () =>
    randomScript(next, 1 + Math.floor(next() * 4), partsOf),
  );
  const calls = callsOf(lines, cwd);
  let known = 0;
  const missed = lines.filter((line, index) => {
    const analysis = analyze(line, { cwd });
    if (codesOf(analysis).length > 0) return false;
    const texts = analysis.commands.flatMap(({ argv: [program, ...words] }) =>
      program?.text === "pwned" ? [words.map(({ text }) => text)] : [],
    );
    if (texts.some(([text]) => text?.startsWith(cwd) === true)) known++;
    return calls[index]?.some(
      (call) =>
        !texts.some((words) => words.every((text, at) => [call[at], undefined].includes(text))),
    );
  });
  expect(missed).toEqual([]);
  expect(known).toBeGreaterThan(200);
});
