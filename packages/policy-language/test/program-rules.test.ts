import * as fc from "fast-check";
import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy, parsePolicy } from "../src/index.ts";
import { toml, type RuleData } from "./toml.ts";

const poolOf = (rules: readonly RuleData[]) =>
  compilePolicy([
    parsePolicy(toml(rules.map((rule, at): RuleData => ({ name: `r${at}`, ...rule }))), {
      file: "a.toml",
      operator: true,
    }),
  ]);
const callOf = (command: string): ToolCall => ({
  hook: "beforeToolCall",
  tool: "bash",
  args: { command },
  cwd: "/w",
  home: "/home/dev",
});

// More rules than are tested one by one.
const FILLING = Array.from({ length: 12 }, (_, at): RuleData => ({
  action: "deny",
  command: `{git,docker,npm,kubectl,hg,foo} none${at} *`,
}));
const denies = (pattern: string, line: string): boolean => {
  const pool = poolOf([...FILLING, { action: "deny", command: pattern }]);
  const votes = pool.evaluate(callOf(line));
  expect(pool.evaluateByScan(callOf(line))).toEqual(votes);
  return votes?.[0]?.rule?.name === `r${FILLING.length}`;
};

describe("among many rules about one program, the rule about the subcommand is found", () => {
  test.each(readCases<[string, string]>(import.meta, "many-rules"))("%s by %s", (pattern, line) => {
    expect(denies(pattern, line)).toBe(true);
  });

  test.each([
    ["git push *", "git pull"],
    ["docker run *", "docker ps"],
    ["foo bar *", "foo baz"],
  ])("%s, but not by %s", (pattern, line) => {
    expect(denies(pattern, line)).toBe(false);
  });

  test.each(readCases<[string, string]>(import.meta, "unclear-commands"))(
    "%s may be meant by %s",
    (pattern, line) => {
      const pool = poolOf([
        ...FILLING,
        { action: "allow", command: "git *" },
        { action: "deny", command: pattern },
      ]);
      expect(pool.evaluate(callOf(line))).toEqual(pool.evaluateByScan(callOf(line)));
    },
  );

  test("a line that repeats the program is denied as by a scan", () => {
    const line = `frobnicate ${"git ".repeat(70)}`;
    const pool = poolOf([...FILLING, { action: "deny", command: "git push *" }]);
    expect(pool.evaluate(callOf(line))?.[0]?.effect).toBe("deny");
    expect(pool.evaluateByScan(callOf(line))?.[0]?.effect).toBe("deny");
  });
});

test("ten thousand rules about one program stay within the limit", () => {
  const pool = poolOf(
    Array.from({ length: 10_000 }, (_, at): RuleData => ({
      action: at % 2 === 0 ? "allow" : "deny",
      command: `git sub${at} *`,
    })),
  );
  const line = Array.from({ length: 200 }, (_, at) => `git sub${at * 2} x`).join("; ");
  expect(pool.evaluate(callOf(line))?.[0]).toMatchObject({ effect: "allow" });
  expect(pool.evaluate(callOf(`${line}; git sub9999`))?.[0]).toMatchObject({
    effect: "deny",
    rule: { name: "r9999" },
  });
});

const pick = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
const programs = pick(
  "git",
  "docker",
  "npm",
  "kubectl",
  "yarn",
  "foo",
  "pip",
  "docker-compose",
  "npx",
  "{git,foo}",
  "helm",
  "hg",
);
const middle = pick(
  "",
  " -C x",
  " --context x",
  " --",
  " -v",
  " --silent",
  " container",
  " compose",
  " remote",
  " run",
  " volume",
);
const subs = pick(
  "push",
  "run",
  "rm",
  "install",
  "status",
  "remove",
  "exec",
  "rem*",
  "add",
  "i",
  "down",
  "delete",
  "x",
  "up",
  "-v",
  "ls",
);
const ends = pick("", " *", " --force *", " x", " -f");
const pattern = fc
  .tuple(programs, middle, subs, ends)
  .map(([program, before, sub, end]) => `${program}${before} ${sub}${end}`);
const rules = fc.array(
  fc.record(
    {
      action: pick("allow", "deny", "ask_user"),
      command: fc.oneof(pattern, fc.tuple(pattern, pattern)),
      priority: pick("user", "admin"),
    },
    { requiredKeys: ["action", "command"] },
  ),
  { minLength: 9, maxLength: 40 },
);
const first = pick(
  "git",
  "docker",
  "npm",
  "kubectl",
  "yarn",
  "foo",
  "pip3",
  "docker-compose",
  "npx",
  "/usr/bin/git",
  "./foo",
  "GIT",
  "helm",
  "hg",
);
const word = pick(
  ...[
    "push",
    "run",
    "rm",
    "install",
    "status",
    "remove",
    "exec",
    "add",
    "i",
    "down",
    "delete",
    "x",
    "up",
    "container",
    "compose",
    "remote",
  ],
  ...[
    "-C",
    "x",
    "--context=x",
    "--",
    "-v",
    "-f",
    "--force",
    "+main",
    "send-pack",
    "lfs",
    "rum",
    "del",
    "volume",
    "p*",
    "$X",
    '"$X"',
    "'a b'",
  ],
);
const before = pick(
  "",
  "",
  "",
  "sudo ",
  "timeout 5 ",
  "frobnicate ",
  "env A=1 ",
  "xargs ",
  "frobnicate git ",
);
const line = fc.oneof(
  fc
    .tuple(before, first, fc.array(word, { maxLength: 5 }))
    .map(([wrapper, program, words]) => wrapper + [program, ...words].join(" ")),
  pattern.map((text) => text.replace("{git,foo}", "git").replaceAll("*", "x")),
);

test("many rules about few programs give the same votes as a scan", () => {
  const seen = new Map<string | undefined, number>();
  fc.assert(
    fc.property(rules, fc.array(line, { minLength: 1, maxLength: 10 }), (some, lines) => {
      const pool = poolOf(some as readonly RuleData[]);
      for (const one of lines) {
        const votes = pool.evaluate(callOf(one));
        expect(pool.evaluateByScan(callOf(one))).toEqual(votes);
        seen.set(votes?.[0]?.code, (seen.get(votes?.[0]?.code) ?? 0) + 1);
      }
    }),
    { numRuns: 150, seed: 1 },
  );
  for (const code of [undefined, "rule_allowed", "rule_denied", "rule_asked", "unknown_command"])
    expect(seen.get(code) ?? 0, code).toBeGreaterThan(0);
});
