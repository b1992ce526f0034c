import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCall, Verdict } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";
import {
  inlineCasesOf,
  mutatePolicy,
  parsePolicy,
  type CaseOutcome,
  type Expectation,
  type Mutation,
  type PolicyPool,
  type RunState,
} from "../src/index.ts";

const RANK = { allow: 0, ask_user: 1, deny: 2 };

async function decide(call: ToolCall, pool: PolicyPool, run?: RunState): Promise<CaseOutcome> {
  const votes = ((await pool.evaluateConditional(call, run)) ?? []).filter(
    ({ shadow }) => shadow !== true,
  );
  const [vote] = votes.toSorted((a: Verdict, b: Verdict) => RANK[b.effect] - RANK[a.effect]);
  if (vote === undefined) return { effect: pool.fallback ?? "ask_user", code: "fallback" };
  return { ...vote, code: vote.code ?? "rule_denied" };
}

type Line = readonly [
  expected: Expectation,
  tool: string,
  args?: ToolCall["args"],
  more?: Partial<ToolCall>,
];

async function mutate(text: string, ...lines: readonly Line[]): Promise<Mutation> {
  const file = parsePolicy(text, { file: "policy.toml", operator: true });
  const cases = lines.map(([expected, tool, args = {}, more = {}]) => ({
    expected,
    call: { hook: "beforeToolCall", cwd: "/w", workspace: "/w", ...more, tool, args } as const,
  }));
  return await mutatePolicy({
    files: [file],
    inline: inlineCasesOf(file),
    cases,
    decide: (call, pool) => decide(call, pool),
  });
}

const changes = ({ survivors }: Mutation): readonly string[] =>
  survivors.map(({ rule, change }) => `${rule}: ${change}`);

const DROP = `
[[rules]]
name = "no-drop"
action = "deny"
tool = "drop_table|drop_all"
`;

describe("mutation", () => {
  it("lets every mutant survive if there are no cases", async () => {
    const result = await mutate(DROP);
    expect(result).toMatchObject({ mutants: 5, noticed: 0 });
    expect(changes(result)).toEqual([
      "no-drop: the rule is dropped",
      "no-drop: `action` is `ask_user`, not `deny`",
      "no-drop: `tool` without `drop_table`",
      "no-drop: `tool` without `drop_all`",
      "no-drop: `tool` is dropped",
    ]);
  });

  it("notices a dropped or weakened rule by a case that it decides", async () => {
    expect(changes(await mutate(DROP, [{ must: "deny" }, "drop_table"]))).toEqual([
      "no-drop: `tool` without `drop_all`",
      "no-drop: `tool` is dropped",
    ]);
  });

  it("does not read more into a case than it says", async () => {
    const weak = changes(await mutate(DROP, [{ must_not: "allow" }, "drop_table"]));
    expect(weak).toContain("no-drop: the rule is dropped");
    expect(weak).toContain("no-drop: `action` is `ask_user`, not `deny`");
  });

  it("needs only a case for each alternative and a near miss", async () => {
    const result = await mutate(
      DROP,
      [{ must: "deny" }, "drop_table"],
      [{ must: "deny" }, "drop_all"],
      [{ must: "ask_user", code: "fallback" }, "drop"],
    );
    expect(result).toEqual({ mutants: 5, noticed: 5, survivors: [] });
  });

  it("turns an allow into a deny and an ask into an allow", async () => {
    const text = (action: string): string =>
      `[[rules]]\nname = "a"\naction = "${action}"\ntool = "x"\n`;
    expect(changes(await mutate(text("allow")))).toContain("a: `action` is `deny`, not `allow`");
    expect(changes(await mutate(text("ask_user")))).toContain(
      "a: `action` is `allow`, not `ask_user`",
    );
  });

  it("widens command patterns", async () => {
    const text =
      '[[rules]]\nname = "push"\naction = "deny"\ncommand = ["git push --force *", "npm publish"]\n';
    const found = changes(await mutate(text));
    expect(found).toContain("push: `command` has `git push *` for `git push --force *`");
    expect(found).toContain("push: `command` has `npm publish *` for `npm publish`");
    const noticed = changes(
      await mutate(text, [{ must: "ask_user" }, "bash", { command: "git push origin main" }]),
    );
    expect(noticed).not.toContain("push: `command` has `git push *` for `git push --force *`");
  });

  it("does not widen a pattern to one that the rule already has", async () => {
    const text = (command: string): string =>
      `[[rules]]\nname = "r"\naction = "allow"\ncommand = ${command}\n`;
    const wider = async (command: string): Promise<readonly string[]> =>
      (await mutate(text(command))).survivors
        .filter(({ kind }) => kind === "widen")
        .map(({ change }) => change);
    expect(await wider('"npm run test:*"')).toEqual([
      "`command` has `npm run *` for `npm run test:*`",
    ]);
    expect(await wider('["git status", "git status *"]')).toEqual([
      "`command` has `git *` for `git status *`",
    ]);
    expect(await wider('["ls", "ls *"]')).toEqual([]);
  });

  it("lists the riskiest first, rule by rule: a deny gone, a deny that asks, an ask that allows, a wider allow", async () => {
    const text = readFileSync(join(import.meta.dirname, "fixtures/proof-mutate-text.toml"), "utf8");
    const { survivors } = await mutate(text);
    expect(
      survivors.map(({ rule, kind, loosens }) => `${rule} ${kind}${loosens ? " looser" : ""}`),
    ).toEqual([
      "no-drop drop looser",
      "no-drop effect looser",
      "no-drop part",
      "mail drop looser",
      "mail effect looser",
      "mail part",
      "test part looser",
      "test widen looser",
      "test drop",
      "test effect",
    ]);
  });

  it("decides each case with the run that it gives", async () => {
    const file = parsePolicy(
      `[[rules]]
name = "once"
action = "deny"
tool = "pay"
when = { all = [{ projection = "p", path = "$.paid", operator = "greaterThan", value = 0 }] }
`,
      { file: "policy.toml", operator: true },
    );
    const call = { hook: "beforeToolCall", tool: "pay", args: {} } as const;
    const runs = [1, 0].map((paid) => ({ recorded: true, stateOf: () => ({ paid }) }));
    const [paid, unpaid] = runs;
    const cases = [
      { call, expected: { must: "deny" } as const, ...(paid === undefined ? {} : { run: paid }) },
      {
        call,
        expected: { must: "ask_user" } as const,
        ...(unpaid === undefined ? {} : { run: unpaid }),
      },
    ];
    const ask = (asked: ToolCall, pool: PolicyPool, at: number): Promise<CaseOutcome> =>
      decide(asked, pool, runs[at]);
    const all = await mutatePolicy({ files: [file], inline: [], cases, decide: ask });
    expect(changes(all)).toEqual(["once: `tool` is dropped"]);
    const first = await mutatePolicy({
      files: [file],
      inline: [],
      cases: cases.slice(0, 1),
      decide: ask,
    });
    expect(changes(first)).toContain("once: `when` is dropped");
  });

  it("drops each argument, each test of an argument, and each value of a list", async () => {
    const text =
      '[[rules]]\nname = "pay"\naction = "allow"\ntool = "pay"\nargs = { amount = { min = 1, max = 10 }, to = { in = ["a", "b"] } }\n';
    const found = changes(await mutate(text));
    for (const change of ["`args.amount`", "`args.amount.min`", "`args.amount.max`", "`args.to`"]) {
      expect(found).toContain(`pay: ${change} is dropped`);
    }
    expect(found).toContain('pay: `args.to.in` without `"a"`');
    const over = changes(
      await mutate(text, [{ must: "ask_user" }, "pay", { amount: 11, to: "a" }]),
    );
    expect(over).not.toContain("pay: `args.amount.max` is dropped");
    expect(over).toContain("pay: `args.amount.min` is dropped");
  });

  it("drops a condition, and evaluates conditions in the changed policy", async () => {
    const text = `
[[rules]]
name = "night"
action = "deny"
tool = "pay"
when = { all = [{ fact = "args", path = "$.hour", operator = "greaterThan", value = 20 }] }
`;
    const day: Line = [{ must: "ask_user" }, "pay", { hour: 9 }];
    expect(changes(await mutate(text))).toContain("night: `when` is dropped");
    expect(changes(await mutate(text, day))).not.toContain("night: `when` is dropped");
  });

  const TIERS = readFileSync(join(import.meta.dirname, "fixtures/proof-mutate-tiers.toml"), "utf8");

  const standing = async (text: string, ...lines: readonly Line[]): Promise<readonly string[]> =>
    changes(await mutate(text, ...lines)).filter((change) => /final|priority/.test(change));

  it("drops `final` if a weaker rule is above", async () => {
    expect(await standing(TIERS)).toEqual(["no-push: `final` is dropped"]);
    expect(await standing(TIERS, [{ must: "deny" }, "push"])).toEqual([]);
  });

  it("lowers a tier if the rule then loses to a stricter one", async () => {
    const open = TIERS.replace("final = true\n", "");
    expect(await standing(open)).toEqual(["ours: `priority` is `user`, not `admin`"]);
    expect(await standing(open, [{ must: "allow" }, "push"])).toEqual([]);
  });

  it("lowers a tier if the rule then loses to a weaker one of its own tier", async () => {
    const beside = TIERS.replace("final = true\n", "").replace('"user"', '"admin"');
    expect(await standing(beside)).toEqual(["no-push: `priority` is `user`, not `admin`"]);
    expect(await standing(beside, [{ must: "deny" }, "push"])).toEqual([]);
  });

  it("leaves out changes that cannot change any effect of the pool", async () => {
    expect(await standing(TIERS.slice(0, TIERS.indexOf('[[rules]]\nname = "ours"')))).toEqual([]);
    expect(await standing(TIERS.replace('"allow"', '"deny"'))).toEqual([]);
    expect(
      await standing(TIERS.replace("final = true\n", "").replace('"allow"', '"deny"')),
    ).toEqual([]);
    expect(
      await standing(TIERS.replace('action = "allow"', 'shadow = true\naction = "allow"')),
    ).toEqual([]);
  });

  it("does not change rules in shadow, which decide nothing", async () => {
    expect(await mutate(`${DROP}shadow = true\n`)).toEqual({
      mutants: 0,
      noticed: 0,
      survivors: [],
    });
  });

  it("counts an inline case that notices a change", async () => {
    const text = `${DROP}match = ["drop_table", "drop_all"]\nnot_match = "drop"\n`;
    expect(changes(await mutate(text))).toEqual([
      "no-drop: the rule is dropped",
      "no-drop: `action` is `ask_user`, not `deny`",
    ]);
  });

  it("notices a change that only affects the rest of the pool: a tool that no rule is about any more", async () => {
    const text = `default = "allow"\n[[rules]]\nname = "look"\naction = "allow"\ncommand = "git status"\n`;
    const unreadable: Line = [
      { must: "ask_user", code: "unknown_command" },
      "bash",
      { command: "eval $x" },
    ];
    expect(changes(await mutate(text))).toContain("look: the rule is dropped");
    expect(changes(await mutate(text, unreadable))).not.toContain("look: the rule is dropped");
  });

  it("reports the position of the rule", async () => {
    expect((await mutate(DROP)).survivors[0]).toEqual({
      ...{
        kind: "drop",
        change: "the rule is dropped",
        rule: "no-drop",
        file: "policy.toml",
        line: 2,
        loosens: true,
      },
    });
  });
});
