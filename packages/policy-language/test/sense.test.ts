import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { effectOf, run } from "./calls.ts";
import type { RuleData } from "./toml.ts";

const deny = (command: string): readonly RuleData[] => [{ action: "deny", command }];
const decided = (pattern: string, line: string): string => effectOf(deny(pattern), run(line));

test.each(readCases<[string, string[]]>(import.meta, "spellings-of-an-option"))(
  "a deny of an option matches all its spellings, at any position: %s",
  (pattern, lines) => {
    expect(lines.map((line) => [line, decided(pattern, line)])).toEqual(
      lines.map((line) => [line, "deny"]),
    );
  },
);

test.each(readCases<[string, string[]]>(import.meta, "look-alikes"))(
  "words that only look alike are not denied: %s",
  (pattern, lines) => {
    expect(lines.map((line) => [line, decided(pattern, line)])).toEqual(
      lines.map((line) => [line, "abstain"]),
    );
  },
);

test.each(readCases<[string, string[]]>(import.meta, "spellings-of-a-name"))(
  "a deny of a subcommand or a program matches all its names: %s",
  (pattern, lines) => {
    expect(lines.map((line) => [line, decided(pattern, line)])).toEqual(
      lines.map((line) => [line, "deny"]),
    );
  },
);

test("an unknown value may be the denied one", () => {
  expect(decided("curl -X POST *", "curl -X$M http://x")).toBe("ask_user");
  expect(decided("curl -X POST *", "curl http://x -X $M")).toBe("ask_user");
  expect(decided("curl -X POST *", 'curl -X "P$M" http://x')).toBe("ask_user");
  expect(decided("curl -X POST *", 'curl -X "G$M" http://x')).toBe("abstain");
  expect(decided("git commit --no-verify *", 'git commit -n -m "$M"')).toBe("deny");
});

test("an allow still covers only what is written", () => {
  const allow = (command: string, line: string): string =>
    effectOf([{ action: "allow", command }], run(line));
  expect(allow("git commit -n *", "git commit --no-verify")).toBe("abstain");
  expect(allow("npm run build", "npm run-script build")).toBe("abstain");
  expect(allow("pip list *", "pip3 list")).toBe("abstain");
  expect(allow("npx tsc *", "npm exec tsc")).toBe("abstain");
  expect(allow("docker ps *", "docker container ls")).toBe("abstain");
});

test("a word that is denied by its form stays denied if the program is known", () => {
  const word = fc.constantFrom(
    "-f",
    "-n",
    "--force",
    "--all",
    "-rf",
    "-m",
    "x",
    "commit",
    "push",
    "run",
    "--",
    "-D",
    "--name=x",
    "*",
    "$X",
    "+a",
    "-x1",
  );
  const words = fc.array(word, { maxLength: 5 });
  const patternWords = words.map((list) => list.filter((one) => !/[$]/.test(one)));
  const strength = ["abstain", "ask_user", "deny"];
  fc.assert(
    fc.property(
      patternWords,
      words,
      fc.constantFrom("git", "npm", "cp", "curl", "docker", "tar", "kubectl", "kill"),
      (pattern, given, program) => {
        const of = (name: string): number =>
          strength.indexOf(
            decided(
              [name, ...pattern].join(" "),
              [name, ...given.map((one) => (one === "*" ? "y" : one))].join(" "),
            ),
          );
        expect(of(program)).toBeGreaterThanOrEqual(of("frobnicate"));
      },
    ),
    { numRuns: 400 },
  );
});
