import * as fc from "fast-check";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { compilePolicy, lintPolicies, parsePolicy, type LintFinding } from "../src/index.ts";
import { call } from "./calls.ts";
import { policyOf, toml, type RuleData } from "./toml.ts";

const IDLE = ["shadowed_rule", "unreachable_rule", "contradictory_rules", "duplicate_rule"];

async function idleOf(rules: readonly RuleData[]): Promise<readonly (readonly [string, string])[]> {
  const text = toml(rules);
  const file = parsePolicy(text, { file: "p.toml", operator: true });
  const lines = text.split("\n");
  const nameAt = ({ line }: LintFinding): string => {
    const head = file.rules.findLast(({ source }) => source.line <= line);
    return head?.source.name ?? lines[line - 1] ?? "";
  };
  const found = await lintPolicies([file]);
  return found
    .filter(({ code }) => IDLE.includes(code))
    .map((finding) => [nameAt(finding), finding.code] as const);
}

/** The codes of what is found about rule `r1`, the second of two. */
async function found(first: RuleData, second: RuleData): Promise<string> {
  const idle = await idleOf([
    { name: "r0", ...first },
    { name: "r1", ...second },
  ]);
  return idle
    .filter(([name]) => name === "r1")
    .map(([, code]) => code)
    .join(" ");
}

const deny = (rest: RuleData): RuleData => ({ action: "deny", ...rest });
const allow = (rest: RuleData): RuleData => ({ action: "allow", ...rest });

const COVERED: readonly (readonly [string, RuleData, RuleData])[] = [
  ["a glob covers a name", deny({ tool: "write_*" }), allow({ tool: "write_file" })],
  ["a glob covers a narrower glob", deny({ tool: "w*" }), allow({ tool: "write_*" })],
  ["a glob with two stars covers one", deny({ tool: "*_file*" }), allow({ tool: "write_file_*" })],
  ["a question mark covers a letter", deny({ tool: "tool?" }), allow({ tool: "toolA" })],
  ["alternatives cover one of them", deny({ tool: "a|b" }), allow({ tool: "b" })],
  ["no tool covers any", deny({ agent: "x" }), allow({ tool: "a", agent: "x" })],
  ["no conditions cover all", deny({}), allow({ tool: "a" })],
  [
    "an open pattern covers more words",
    deny({ command: "git push *" }),
    allow({ command: "git push origin main" }),
  ],
  [
    "options stand anywhere in a deny",
    deny({ command: "git push --force *" }),
    deny({ command: "git push origin --force *" }),
  ],
  [
    "an allow covers its narrower one",
    allow({ command: "git log *" }),
    allow({ command: "git log --oneline *" }),
  ],
  [
    "a wider list of commands covers",
    deny({ command: ["rm *", "dd *"] }),
    allow({ command: ["rm x", "dd of=x"] }),
  ],
  [
    "a folder covers what is below it",
    deny({ paths: "src/**" }),
    allow({ tool: "write_file", paths: "src/x/*.ts" }),
  ],
  [
    "any folder covers the workspace's",
    deny({ paths: "**/.env" }),
    allow({ tool: "read_file", paths: "conf/.env" }),
  ],
  [
    "reading and writing cover reading",
    deny({ paths: "a/**" }),
    allow({ tool: "read_file", paths: { read: "a/b" } }),
  ],
  [
    "values cover one of them",
    deny({ tool: "t", args: { a: { in: [1, 2] } } }),
    allow({ tool: "t", args: { a: { eq: 2 } } }),
  ],
  [
    "a glob covers a value",
    deny({ tool: "t", args: { a: { glob: "x*" } } }),
    allow({ tool: "t", args: { a: { eq: "xy" } } }),
  ],
  [
    "a range covers a narrower one",
    deny({ tool: "t", args: { a: { min: 0 } } }),
    allow({ tool: "t", args: { a: { min: 5, max: 6 } } }),
  ],
  [
    "more modes cover fewer",
    deny({ tool: "t", modes: ["ask", "yolo"] }),
    allow({ tool: "t", modes: ["ask"] }),
  ],
  [
    "an agent's glob covers a name",
    deny({ tool: "t", agent: "dev-*" }),
    allow({ tool: "t", agent: ["dev-1", "dev-2"] }),
  ],
  [
    "a host's glob covers a host",
    deny({ tool: "fetch", network: "*.example.com" }),
    allow({ tool: "fetch", network: "api.example.com" }),
  ],
  [
    "a higher tier covers a stricter rule",
    { action: "ask_user", tool: "t", priority: "admin" },
    deny({ tool: "t" }),
  ],
  [
    "a server covers its tools",
    deny({ server: "github" }),
    allow({ server: "github", tool: "get_*" }),
  ],
];

test.each(COVERED)("%s", async (_, first, second) => {
  expect(await found(first, second)).toBe("shadowed_rule");
});

const OPEN: readonly (readonly [string, RuleData, RuleData])[] = [
  ["a narrower glob", deny({ tool: "write_file" }), allow({ tool: "write_*" })],
  ["a letter for a question mark", deny({ tool: "toolA" }), allow({ tool: "tool?" })],
  ["a weaker rule of the same tier", allow({ tool: "t*" }), deny({ tool: "t1" })],
  ["a lower tier", deny({ tool: "t*" }), allow({ tool: "t1", priority: "user" })],
  [
    "an allow above a deny, which reads more",
    allow({ command: "git *", priority: "admin" }),
    deny({ command: "git push *" }),
  ],
  ["a rule in shadow", deny({ tool: "t*", shadow: true }), allow({ tool: "t1" })],
  [
    "a final rule below a higher tier",
    deny({ tool: "t*", priority: "admin" }),
    { action: "ask_user", tool: "t1", final: true },
  ],
  ["a condition more", deny({ tool: "t*", phase: "PLAN" }), allow({ tool: "t1" })],
  ["another agent", deny({ tool: "t*", agent: "a" }), allow({ tool: "t1", agent: "b" })],
  [
    "a pattern without a star at its end",
    deny({ command: "git push" }),
    allow({ command: "git push *" }),
  ],
  [
    "what only the narrower allow spells out",
    allow({ command: "find *" }),
    allow({ command: "find . -delete" }),
  ],
  ["another program", deny({ command: "git *" }), allow({ command: "gitk *" })],
  [
    "a path in another folder",
    deny({ paths: "src/**" }),
    allow({ tool: "write_file", paths: "test/**" }),
  ],
  [
    "a home folder for the workspace",
    deny({ paths: "~/**" }),
    allow({ tool: "write_file", paths: "src/**" }),
  ],
  [
    "one segment for many",
    deny({ paths: "src/*" }),
    allow({ tool: "write_file", paths: "src/**" }),
  ],
  [
    "reading for writing",
    deny({ paths: { read: "src/**" } }),
    allow({ tool: "write_file", paths: { write: "src/**" } }),
  ],
  [
    "another value",
    deny({ tool: "t", args: { a: { eq: 1 } } }),
    allow({ tool: "t", args: { a: { eq: 2 } } }),
  ],
  [
    "a value for a missing condition",
    deny({ tool: "t", args: { a: { eq: 1 } } }),
    allow({ tool: "t" }),
  ],
  [
    "a wider range",
    deny({ tool: "t", args: { a: { min: 5 } } }),
    allow({ tool: "t", args: { a: { min: 0 } } }),
  ],
  ["one mode of all", deny({ tool: "t", modes: ["ask"] }), allow({ tool: "t" })],
  [
    "a tool of a server for one of no server",
    deny({ server: "github", tool: "get_*" }),
    allow({ tool: "get_issue" }),
  ],
  [
    "the same with words of its own, named first",
    deny({ tool: "t*" }),
    { ...deny({ tool: "t1", reason: "its own" }), name: "a" },
  ],
];

test.each(OPEN)("is not covered by %s", async (_, first, second) => {
  expect(await found(first, second)).toBe("");
});

test("parts of one rule may be covered by several", async () => {
  const rules = [
    { name: "a", action: "deny", command: "rm *" },
    { name: "b", action: "deny", tool: "bash", command: "dd *" },
    { name: "c", action: "allow", tool: "bash", command: ["rm x", "dd of=x"] },
    { name: "d", action: "allow", command: ["rm x", "ls"] },
  ];
  expect(await idleOf(rules)).toEqual([["c", "unreachable_rule"]]);
});

const KEYS: Readonly<Record<string, fc.Arbitrary<RuleData[string]>>> = {
  tool: fc.constantFrom(
    "read_file",
    "write_file",
    "*_file",
    "bash",
    "b*|read_file",
    "write_*",
    "transfer",
  ),
  command: fc.constantFrom(
    "git *",
    "git push *",
    "git push --force *",
    "git status",
    "rm *",
    "rm -rf *",
    "find *",
    "find . -delete",
  ),
  paths: fc.constantFrom("**", "src/**", "src/*", "src/a.ts", "**/a.ts", "~/**", "/etc/**"),
  args: fc.constantFrom<RuleData>(
    { path: { glob: "src/*" } },
    { path: { eq: "src/a.ts" } },
    { path: { in: ["src/a.ts", "b"] } },
  ),
  agent: fc.constantFrom("dev", "d*", "reviewer"),
  modes: fc.constantFrom(["ask"], ["ask", "yolo"]),
  interactive: fc.boolean(),
  priority: fc.constantFrom("default", "user"),
  final: fc.constant(true),
  shadow: fc.constant(true),
};

// One or two keys besides the action, so that rules often speak of the same calls.
const arbitraryRule: fc.Arbitrary<RuleData> = fc
  .tuple(
    fc.constantFrom("allow", "deny", "ask_user"),
    fc
      .subarray(Object.keys(KEYS), { minLength: 1, maxLength: 2 })
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, KEYS[key]])) as never)),
  )
  .map(([action, rest]) => ({ action, ...(rest as RuleData) }));

const calls = readCases<string>(new URL("cases/lint-cover/rules.jsonl", import.meta.url))
  .map((command) => ["bash", { command }] as const)
  .concat(
    ["src/a.ts", "src/x/b.ts", "b", "/etc/passwd", "~/x"].flatMap((path) =>
      ["read_file", "write_file"].map((tool) => [tool, { path }] as never),
    ),
  )
  .concat([["transfer", {}] as never])
  .flatMap(([tool, args]) =>
    [undefined, "dev", "reviewer"].flatMap((agent) =>
      (["ask", "yolo"] as const).flatMap((approval_mode) =>
        [true, false].map((interactive) =>
          call(tool, args, {
            approval_mode,
            interactive,
            ...(agent === undefined ? {} : { agent }),
          }),
        ),
      ),
    ),
  );

const effects = (rules: readonly RuleData[]): readonly string[] => {
  const pool = compilePolicy([policyOf(rules)]);
  return calls.map(
    (one) => (pool.evaluate(one) ?? []).find(({ shadow }) => shadow !== true)?.effect ?? "abstain",
  );
};

const loads = (rule: RuleData): boolean => {
  try {
    policyOf([rule]);
    return true;
  } catch {
    return false;
  }
};

test("without a rule that is said never to decide, every call comes to the same", async () => {
  let idle = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryRule, { minLength: 2, maxLength: 6 }), async (drafts) => {
      const rules = drafts.map((rule, at) => ({ name: `r${at}`, ...rule })).filter(loads);
      const before = effects(rules);
      for (const [name] of await idleOf(rules)) {
        idle++;
        expect(effects(rules.filter((rule) => rule.name !== name))).toEqual(before);
      }
    }),
    { numRuns: 150 },
  );
  expect(idle).toBeGreaterThan(20);
});
