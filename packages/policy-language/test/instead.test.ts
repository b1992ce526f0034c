import type { JsonObject } from "@bylaw/kernel";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  PolicyError,
  compilePolicy,
  compiledPolicy,
  parsePolicy,
  type ParseOptions,
} from "../src/index.ts";
import { call } from "./calls.ts";

const LEASE = 'instead = { command = "git push --force-with-lease" }';
const LEASED = { command: "git push --force-with-lease" };

interface Written {
  readonly name?: string;
  readonly action?: string;
  readonly more?: string;
  readonly command?: string;
}
const rule = ({
  name = "r",
  action = "deny",
  command = "git push *",
  more = "",
}: Written): string =>
  `\n[[rules]]\nname = "${name}"\naction = "${action}"\ncommand = "${command}"\n${more}\n`;

const file = (text: string, options: Partial<ParseOptions> = {}) =>
  parsePolicy(text, { file: "p.toml", operator: true, ...options });

/** What a policy offers, by its index, by a scan, and with the rules turned round. */
async function offered(rules: readonly string[], command: string): Promise<JsonObject | undefined> {
  const found: (JsonObject | undefined)[] = [];
  for (const order of [rules, rules.toReversed()]) {
    const pool = compilePolicy([file(order.join(""))]);
    const asked = call("run_shell_command", { command });
    for (const votes of [
      await pool.evaluateConditional(asked),
      await pool.evaluateConditionalByScan(asked),
    ]) {
      expect(votes?.[0]?.effect).not.toBe("allow");
      found.push(votes?.[0]?.instead);
    }
  }
  for (const one of found) expect(one).toEqual(found[0]);
  return found[0];
}

describe("`instead` of a rule", () => {
  it("is in its vote, for a deny and for an ask, compiled or not", async () => {
    for (const action of ["deny", "ask_user"])
      expect(await offered([rule({ action, more: LEASE })], "git push -f")).toEqual(LEASED);
    const text = rule({ more: LEASE });
    const form = compiledPolicy(text);
    expect(form?.rules[0]?.instead).toEqual(LEASED);
    const loaded = file(text, { compiled: form === undefined ? [] : [form] });
    expect(loaded.rules[0]?.answer[0]?.instead).toEqual(LEASED);
  });

  it("is kept in the vote of a rule that looks back", () => {
    const text = `[[marks]]\nname = "m"\ncommand = "ls"\n${rule({ more: `${LEASE}\nunless_after = "m"` })}`;
    const votes = compilePolicy([file(text)]).evaluate(
      call("run_shell_command", { command: "git push -f" }),
    );
    expect(votes?.[0]).toMatchObject({ effect: "deny", instead: LEASED });
  });

  it.each([
    ["nothing", rule({ name: "z" })],
    ["something else", rule({ name: "z", more: 'instead = { command = "git push" }' })],
    ["a final rule with nothing", rule({ name: "z", more: "final = true" })],
    [
      "a condition that holds",
      rule({
        name: "z",
        more: 'when = { all = [{ fact = "tool", operator = "equal", value = "run_shell_command" }] }',
      }),
    ],
  ])("is void beside a rule that decides as strictly and offers %s", async (_, other) => {
    // A name before and one after the other rule's, because the first name decides.
    for (const name of ["a", "zz"])
      expect(await offered([rule({ name, more: LEASE }), other], "git push -f")).toBeUndefined();
  });

  it.each([
    ["the same", rule({ name: "z", more: LEASE })],
    ["nothing, in shadow", rule({ name: "z", more: "shadow = true" })],
    ["nothing, for another command", rule({ name: "z", command: "git pull *" })],
    ["nothing, less strictly", rule({ name: "z", action: "ask_user" })],
    [
      "nothing, under a condition that does not hold",
      rule({
        name: "z",
        more: 'when = { all = [{ fact = "tool", operator = "equal", value = "other" }] }',
      }),
    ],
  ])("holds beside a rule that offers %s", async (_, other) => {
    for (const name of ["a", "zz"])
      expect(await offered([rule({ name, more: LEASE }), other], "git push -f")).toEqual(LEASED);
  });

  it("of a higher tier replaces a deny of a lower one, unless that is final", async () => {
    const own = rule({ name: "own", more: `${LEASE}\npriority = "user"` });
    expect(await offered([own, rule({ name: "z" })], "git push -f")).toEqual(LEASED);
    expect(
      await offered([own, rule({ name: "a", more: "final = true" })], "git push -f"),
    ).toBeUndefined();
  });

  it.each([
    "git push -f && npm test",
    "cd ../other && git push -f",
    "echo $(git push -f)",
    "git push -f; git push -f",
    "git push $WHERE; git push -f",
  ])("is not offered for one of several commands: %s", async (command) => {
    const rules = [rule({ more: LEASE }), rule({ name: "all", action: "allow", command: "cd *" })];
    expect(await offered(rules, command)).toBeUndefined();
  });

  it("is not offered when only part of the rules could be looked at", () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `git push ${at}`).join("; ");
    const votes = compilePolicy([file(rule({ more: LEASE }))]).evaluate(
      call("run_shell_command", { command: many }),
    );
    expect(votes?.[0]?.instead).toBeUndefined();
  });

  it("does not depend on the order of rules", async () => {
    const more = fc.constantFrom(LEASE, 'instead = { command = "git push" }', "", "final = true");
    const written = fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      action: fc.constantFrom("deny", "ask_user"),
      more,
    });
    const rules = fc.uniqueArray(written, { selector: ({ name }) => name, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(rules, async (some) => {
        const offer = await offered(some.map(rule), "git push -f");
        const strict = some.some(({ action }) => action === "deny") ? "deny" : "ask_user";
        const texts = new Set(
          some.filter(({ action }) => action === strict).map((one) => one.more),
        );
        const [only = ""] = texts;
        expect(offer !== undefined).toBe(texts.size === 1 && only.startsWith("instead"));
      }),
      { numRuns: 60 },
    );
  });
});

describe("a policy with a wrong `instead`", () => {
  const fault = (text: string): string => {
    try {
      file(text);
    } catch (error) {
      if (error instanceof PolicyError) return error.findings.map(({ message }) => message).join();
      throw error;
    }
    return "none";
  };

  it.each([
    ["on an allow", rule({ action: "allow", more: LEASE }), /Only a deny or an ask_user rule/],
    ["that is empty", rule({ more: "instead = {}" }), /`instead` is empty/],
    ["that is text", rule({ more: 'instead = "git push"' }), /instead/],
    ["with a date", rule({ more: "instead = { at = 2026-01-01 }" }), /not a date/],
    ["with an infinite number", rule({ more: "instead = { n = inf }" }), /not `Infinity`/],
    [
      "with a prototype",
      rule({ more: 'instead = { "__proto__" = { a = 1 } }' }),
      /unsafe property/,
    ],
    [
      "that is too large",
      rule({ more: `instead = { text = "${"x".repeat(32_768)}" }` }),
      /longer than 32768/,
    ],
  ])("%s does not load", (_, text, message) => {
    expect(fault(text)).toMatch(message);
  });

  it.each([
    { workspace: "/w", origin: "/w/p.toml", operator: false },
    { place: "workspace", operator: false } as const,
  ])("that agents could write ignores it, with a warning: %j", (options) => {
    const loaded = file(rule({ more: LEASE }), options);
    expect(loaded.warnings[0]?.message).toMatch(/`instead` is ignored/);
    expect(loaded.rules[0]?.answer[0]?.instead).toBeUndefined();
    const form = compiledPolicy(rule({ more: LEASE }));
    const again = file(rule({ more: LEASE }), {
      ...options,
      compiled: form === undefined ? [] : [form],
    });
    expect(again.rules[0]?.answer[0]?.instead).toBeUndefined();
    expect(again.warnings).toHaveLength(1);
  });
});
