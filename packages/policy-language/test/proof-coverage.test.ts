import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCall, Verdict } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import {
  compilePolicy,
  coverPolicy,
  inlineCasesOf,
  parsePolicy,
  expectationFault,
  type Coverage,
  type RuleCoverage,
} from "../src/index.ts";

type RuleReference = NonNullable<Verdict["rule"]>;

const FILE = "policy.toml";
const read = (path: string, agent = "a"): ToolCall => ({
  hook: "beforeToolCall",
  tool: "read_file",
  args: { path },
  cwd: "/w",
  workspace: "/w",
  home: "/home/dev",
  agent,
});
const tool = (name: string): ToolCall => ({ ...read("x"), tool: name });

async function cover(text: string, ...calls: readonly ToolCall[]): Promise<Coverage> {
  const file = parsePolicy(text, { file: FILE, operator: true });
  const pool = compilePolicy([file]);
  const cases = await Promise.all(
    calls.map(async (call) => {
      const votes = await pool.evaluateConditional(call);
      const rule: RuleReference | undefined = votes?.find(({ shadow }) => shadow !== true)?.rule;
      return { call, rule };
    }),
  );
  return await coverPolicy({ files: [file], inline: inlineCasesOf(file), cases });
}

const only = ({ rules: [rule] }: Coverage): RuleCoverage => {
  if (rule === undefined) throw new Error("no rule");
  return rule;
};

const READ = `
[[rules]]
name = "read"
action = "allow"
tool = "read_file|view_file"
paths = { read = ["src/**", "docs/**", "{lib,test}/**"] }
`;

describe("coverage", () => {
  it("reports that a rule never matched if no case is about it", async () => {
    expect(only(await cover(READ, tool("send_mail")))).toMatchObject({
      name: "read",
      line: 2,
      decided: 0,
      matched: 0,
    });
  });

  it("distinguishes a rule that matched from one that decided", async () => {
    const text = `${READ}
[[rules]]
name = "no-src"
action = "deny"
paths = "src/**"
`;
    const { rules } = await cover(text, read("src/a.ts"));
    expect(rules).toMatchObject([
      { name: "read", decided: 0, matched: 1 },
      { name: "no-src", decided: 1, matched: 1 },
    ]);
  });

  it("names each alternative that no case needed, also inside braces and between bars", async () => {
    const { never_held } = only(await cover(READ, read("src/a.ts"), read("lib/a.ts")));
    expect(never_held).toEqual([
      { key: "tool", item: "view_file" },
      { key: "paths.read", item: "docs/**" },
      { key: "paths.read", item: "test/**" },
    ]);
  });

  it("counts an alternative that only helps others as covered", async () => {
    const both = { ...read(""), tool: "read_file", args: { paths: ["src/a.ts", "docs/b.md"] } };
    const text = READ.replace("read_file|view_file", "read_files");
    const { never_held } = only(await cover(text, { ...both, tool: "read_files" }));
    expect(never_held).toEqual([
      { key: "paths.read", item: "lib/**" },
      { key: "paths.read", item: "test/**" },
    ]);
  });

  it("names each condition that kept no case from matching", async () => {
    expect(only(await cover(READ, read("src/a.ts"), read("/etc/hosts"))).never_failed).toEqual([
      "tool",
    ]);
    expect(only(await cover(READ, read("src/a.ts"), tool("grep"))).never_failed).toEqual([
      "tool",
      "paths",
    ]);
    const other = { ...read("src/a.ts"), tool: "open_file" };
    expect(
      only(await cover(READ, read("src/a.ts"), read("/etc/hosts"), other)).never_failed,
    ).toEqual([]);
  });

  it("checks each argument separately, and each test of it", async () => {
    const text = `
[[rules]]
name = "small"
action = "allow"
tool = "pay"
args = { amount = { min = 1, max = 10 }, to = { eq = "shop" } }
`;
    const pay = (amount: number, to: string): ToolCall => ({
      ...tool("pay"),
      args: { amount, to },
    });
    expect(
      only(await cover(text, pay(5, "shop"), pay(11, "shop"), tool("send"))).never_failed,
    ).toEqual(["tool", "args.amount.min", "args.to"]);
    const all = [
      pay(5, "shop"),
      pay(11, "shop"),
      pay(0, "shop"),
      pay(5, "me"),
      { ...pay(5, "shop"), tool: "give" },
    ];
    expect(only(await cover(text, ...all)).never_failed).toEqual([]);
  });

  it("evaluates conditions even if another rule decides", async () => {
    const text = `
[[rules]]
name = "no"
priority = "admin"
action = "deny"
tool = "pay"

[[rules]]
name = "night"
action = "deny"
tool = "pay"
when = { all = [{ fact = "args", path = "$.hour", operator = "greaterThan", value = 20 }] }
`;
    const at = (hour: number): ToolCall => ({ ...tool("pay"), args: { hour } });
    const { rules } = await cover(text, at(22), at(9));
    expect(rules[1]).toMatchObject({
      name: "night",
      decided: 0,
      matched: 1,
      never_failed: ["tool"],
    });
  });

  it("counts inline cases for the patterns that they test", async () => {
    const text = `
[[rules]]
name = "no-push"
action = "deny"
command = ["git push --force *", "git push --mirror *"]
match = "git push -f"
not_match = ["git push"]
`;
    expect(only(await cover(text))).toMatchObject({
      matched: 1,
      decided: 0,
      never_held: [{ key: "command", item: "git push --mirror *" }],
      never_failed: [],
    });
  });

  it("sums up alternatives and parts", async () => {
    const { alternatives, parts } = await cover(READ, read("src/a.ts"), read("/etc/hosts"));
    expect({ alternatives, parts }).toEqual({
      alternatives: { total: 6, held: 2 },
      parts: { total: 2, failed: 1 },
    });
  });

  it("does not affect the policy: a rule matches as it does in a decision", async () => {
    const calls = [read("src/a.ts"), read("../x"), tool("grep"), read(".env")];
    const file = parsePolicy(READ, { file: FILE });
    const pool = compilePolicy([file]);
    const matched = calls
      .flatMap((call) => pool.explain(call))
      .filter((report) => report.matched).length;
    expect(only(await cover(READ, ...calls)).matched).toBe(matched);
  });
});

describe("inline cases", () => {
  it("are listed with their positions, in the order of the text", () => {
    const text = readFileSync(
      join(import.meta.dirname, "fixtures/proof-coverage-text.toml"),
      "utf8",
    );
    expect(inlineCasesOf(parsePolicy(text, { file: FILE }))).toEqual([
      { rule: "a", kind: "match", text: "drop_table", file: FILE, line: 7 },
      { rule: "a", kind: "match", text: "drop_all", file: FILE, line: 8 },
      { rule: "a", kind: "not_match", text: "drop", file: FILE, line: 10 },
    ]);
  });

  it("are empty for a file of Radium", () => {
    const text =
      'compat = "radium"\n[[rules]]\nname = "match"\naction = "deny"\ntool_pattern = "x"\n';
    expect(inlineCasesOf(parsePolicy(text, { file: FILE }))).toEqual([]);
  });
});

describe("an expectation", () => {
  const denied = {
    effect: "deny",
    code: "rule_denied",
    rule: { name: "a", file: FILE, line: 1 },
  } as const;

  it.each(readCases<[object, string?]>(import.meta, "expectations"))(
    "%j of a deny by rule a: %s",
    (expected, wrong) => {
      expect(expectationFault(expected, denied)).toBe(wrong);
    },
  );
});
