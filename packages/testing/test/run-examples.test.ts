import { allow, ask, defineCheck, definePlugin, deny, type Verdict } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineExamples, describeExamples, runExamples, type Example } from "../src/index.ts";

const limit = definePlugin({
  name: "limit",
  version: "1.0.0",
  options: z.strictObject({ most: z.number().default(10) }).prefault({}),
  codes: { too_much: "More than the limit" },
  apply({ hooks }, { most }) {
    hooks.beforeToolCall.tap("amount", ({ args }) => {
      const amount = Array.isArray(args) ? undefined : (args as { amount?: unknown })["amount"];
      if (typeof amount !== "number" || amount <= most) return undefined;
      return deny(`An amount of ${amount} is more than ${most}.`, "ask for less", {
        code: "too_much",
        rule: { name: "limit" },
      });
    });
  },
});

const pay = (amount: number) =>
  ({ hook: "beforeToolCall", tool: "pay", args: { amount } }) as const;

async function problemOf(
  example: Omit<Example<{ most?: number } | undefined>, "name">,
): Promise<string | undefined> {
  const [result] = await runExamples(defineExamples(limit, [{ name: "an example", ...example }]));
  return result?.problem;
}

const saying = (verdicts: readonly Verdict[]) =>
  defineCheck({
    name: "saying",
    hook: "onTransition",
    artifact: z.unknown(),
    check: () => verdicts,
    when: { to: "BUILD" },
  });

describe("runExamples", () => {
  it("finds no problem if the votes give the expected result", async () => {
    expect(await problemOf({ subject: pay(11), expect: "deny" })).toBeUndefined();
    expect(await problemOf({ subject: pay(10), expect: "abstain" })).toBeUndefined();
    expect(
      await problemOf({ subject: pay(2), options: { most: 1 }, expect: "deny" }),
    ).toBeUndefined();
  });

  it("compares code, rule and tap if an example names them", async () => {
    const told = { code: "too_much", rule: "limit", tap: "amount" };
    expect(await problemOf({ subject: pay(11), expect: "deny", ...told })).toBeUndefined();
    expect(await problemOf({ subject: pay(11), expect: "deny", ...told, code: "other" })).toContain(
      "`other`",
    );
    expect(await problemOf({ subject: pay(11), expect: "deny", ...told, rule: "other" })).toContain(
      "`other`",
    );
    expect(await problemOf({ subject: pay(11), expect: "deny", ...told, tap: "other" })).toContain(
      "`other`",
    );
    expect(await problemOf({ subject: pay(1), expect: "abstain", code: "too_much" })).toContain(
      "abstention",
    );
  });

  it("reports the actual result", async () => {
    expect(await problemOf({ subject: pay(11), expect: "ask_user" })).toBe(
      "Got deny (An amount of 11 is more than 10.) instead of ask_user",
    );
    expect(await problemOf({ subject: pay(1), expect: "deny" })).toBe(
      "Got abstain instead of deny",
    );
  });

  it("reports options that the plugin refuses", async () => {
    const misspelt: object = { mots: 1 };
    expect(await problemOf({ subject: pay(1), options: misspelt, expect: "abstain" })).toContain(
      "mots",
    );
  });

  it("reports an invalid subject", async () => {
    expect(
      await problemOf({ subject: { hook: "beforeToolCall", tool: "" }, expect: "abstain" }),
    ).toContain("`tool` must have");
  });

  it("does not accept a broken check as the expected deny", async () => {
    const broken = defineCheck({
      name: "broken",
      hook: "onBehavior",
      check() {
        throw new Error("no such table");
      },
    });
    const subject = { hook: "onBehavior" } as const;
    const [plain, named] = await runExamples(
      defineExamples(broken, [
        { name: "denies", subject, expect: "deny" },
        { name: "breaks", subject, expect: "deny", code: "check_failed" },
      ]),
    );
    expect(plain?.problem).toContain("no such table");
    expect(named?.problem).toBeUndefined();
  });

  it("ignores shadow votes and warnings, and uses the strictest of the rest", async () => {
    const subject = { hook: "onTransition", artifacts: { note: "" } } as const;
    const actual = async (...verdicts: Verdict[]) =>
      (
        await runExamples(
          defineExamples(saying(verdicts), [{ name: "one", subject, expect: "abstain" }]),
        )
      )[0]?.actual;
    expect(
      await actual(deny("a", "b", { shadow: true }), deny("a", "b", { severity: "warning" })),
    ).toBe("abstain");
    expect(await actual(ask("a"), deny("b"), ask("c"))).toBe("deny");
  });

  it("reports an allow of a plugin that may not grant as a failure", async () => {
    const subject = { hook: "onTransition", artifacts: { note: "" } } as const;
    const [result] = await runExamples(
      defineExamples(saying([allow("come in")]), [{ name: "allows", subject, expect: "allow" }]),
    );
    expect(result?.problem).toContain("grants");
  });
});

it("describeExamples creates one test for each example, which throws its problem", async () => {
  const bodies = new Map<string, () => Promise<void>>();
  const set = defineExamples(limit, [
    { name: "lets a small amount pass", subject: pay(1), expect: "abstain" },
    { name: "is wrong about a large one", subject: pay(11), expect: "abstain" },
  ]);
  const suites: string[] = [];
  describeExamples(set, {
    describe: (name, body) => (suites.push(name), body()),
    it: (name, body) => bodies.set(name, body),
  });
  expect(suites).toEqual(["examples of limit"]);
  await expect(bodies.get("lets a small amount pass")?.()).resolves.toBeUndefined();
  await expect(bodies.get("is wrong about a large one")?.()).rejects.toFailWith(
    "BYLAW_EXAMPLE_FAILED",
  );
});
