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

/** Returns the codes of the findings about rule `r1`, the second of two. */
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

const COVERED = readCases<[string, RuleData, RuleData]>(import.meta, "covered");

test.each(COVERED)("%s", async (_, first, second) => {
  expect(await found(first, second)).toBe("shadowed_rule");
});

const OPEN = readCases<[string, RuleData, RuleData]>(import.meta, "open");

test.each(OPEN)("is not covered by %s", async (_, first, second) => {
  expect(await found(first, second)).toBe("");
});

test("several rules together may cover all parts of one rule", async () => {
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

// Only one or two keys besides the action, so that rules often match the same calls.
const arbitraryRule: fc.Arbitrary<RuleData> = fc
  .tuple(
    fc.constantFrom("allow", "deny", "ask_user"),
    fc
      .subarray(Object.keys(KEYS), { minLength: 1, maxLength: 2 })
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, KEYS[key]])) as never)),
  )
  .map(([action, rest]) => ({ action, ...(rest as RuleData) }));

const calls = readCases<string>(import.meta, "rules")
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

test("removing a rule that is reported as never deciding changes no decision", async () => {
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
