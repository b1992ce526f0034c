import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { PolicyError, POLICY_LIMITS, parsePolicy } from "../src/index.ts";
import { call, run, verdictOf } from "./calls.ts";
import type { RuleData } from "./toml.ts";

// Each of these took between seconds and forever before its limit was added.
const rules = readCases<RuleData>(import.meta, "rules");
const different = (count: number): string =>
  Array.from({ length: count }, (_, at) => `git add file-${at};`).join("");
const shortNames = (count: number): string =>
  Array.from({ length: count }, (_, at) => `x${at};`).join("");
const long = "a".repeat(1_000_000);

test.each([
  [
    "a wrapper before thousands of words",
    run(`sudo ${"a ".repeat(8000)}`),
    "ask_user unknown_command",
  ],
  [
    "a line that says the denied name again and again",
    run(`frobnicate ${"rm -r ".repeat(2500)}`),
    "deny rule_denied r0",
  ],
  ["thousands of commands", run(`${"a b;".repeat(4000)}rm -rf x`), "deny rule_denied r0"],
  ["a glob of thousands of folders", run(`cat ${"*/".repeat(8000)}`), "ask_user unknown_path"],
  ["thousands of globs", run(`cat ${"src/*a ".repeat(2300)}`), "ask_user unknown_command"],
  [
    "a regular expression that each of thousands of words may begin",
    run(`frobnicate ${"z ".repeat(200)}${"w".repeat(4000)}`),
    "ask_user unknown_command",
  ],
  [
    "a thousand words that nobody knows",
    run(`rm ${'"$a" '.repeat(1000)}`),
    "ask_user unknown_path",
  ],
  ["one very long word", run("a".repeat(16_000)), "abstain"],
  ["a megabyte of line", run("a ".repeat(500_000)), "deny unknown_command"],
  ["a megabyte of different commands", run(different(60_000)), "deny unknown_command"],
  ["a megabyte of assignments", run("a=1 ".repeat(250_000)), "deny unknown_command"],
  [
    "more different commands than are looked at",
    run(`${different(1_500)}rm -rf /`),
    "deny unknown_command",
  ],
  [
    "more different commands than are looked at in a line that is short enough",
    run(`${different(300)}${shortNames(300)}rm -rf /`),
    "deny unknown_command",
  ],
  [
    "as many for a tool of a server that does not list it",
    {
      ...run(`${different(300)}${shortNames(300)}rm -rf /`),
      server: "other",
      servers: { other: ["t"] },
    },
    "deny unknown_command",
  ],
  [
    "a thousand deep paths",
    call("read_files", { paths: Array.from({ length: 1000 }, () => `/${"a/b/c/".repeat(600)}`) }),
    "abstain",
  ],
  [
    "megabytes of arguments",
    call("t", { a: long, b: long, c: `https://a.example/${long}` }),
    "abstain",
  ],
  [
    "a URL of encoded dots",
    call("t", { a: "b", b: "aaab", c: `https://a.example/${"%2e%2e/".repeat(150_000)}` }),
    "abstain",
  ],
  [
    "a hundred thousand arguments",
    call("t", Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1]))),
    "abstain",
  ],
  ["a name of underscores", call(`mcp_${"_".repeat(250)}`), "ask_user unknown_server"],
] as const)("%s returns", (_, one, verdict) => expect(verdictOf(rules, one)).toBe(verdict));

test("equal commands are evaluated once but count as often as the line contains them", () => {
  const many = Array.from({ length: 60 }, (_, at) => ({ action: "deny", command: `rm -x${at} *` }));
  expect(verdictOf(many, run("rm a b;".repeat(300)))).toBe("abstain");
  expect(verdictOf(many, run("rm a b;".repeat(900)))).toBe("deny unknown_command");
});

const room = POLICY_LIMITS.characters - 100;
test.each([
  ["a key of two million parts", `a${".a".repeat(room / 2)} = 1`],
  ["an array of two million items", `x = [${"1,".repeat(room / 2)}]`],
  [
    "hundreds of thousands of unknown keys",
    Array.from({ length: 300_000 }, (_, at) => `k${at}=1`).join("\n"),
  ],
  ["fifty thousand empty rules", "[[rules]]\n".repeat(POLICY_LIMITS.rules)],
  [
    "text of backslashes before a mistake",
    `[[rules]]\nname = "${"\\\\".repeat(room / 2 - 50)}"\naction = "dney"`,
  ],
  ["a mistake in the last of four million lines", `${"\n".repeat(room)}=`],
])("%s is rejected with at most a thousand findings", (_, text) => {
  let error: unknown;
  try {
    parsePolicy(text, { file: "p.toml" });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(PolicyError);
  expect((error as PolicyError).findings.length).toBeLessThanOrEqual(1000);
});
