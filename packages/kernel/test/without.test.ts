import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createKernel,
  defineCheck,
  definePlugin,
  defineRuleset,
  deny,
  type Config,
  type Plugin,
} from "../src/index.ts";
import { SUBJECTS, call, decideNow, voter } from "./kit.ts";

const coded = (code: unknown) => expect.objectContaining({ code });
const denies = (name: string): Plugin =>
  voter(name, "beforeToolCall", () => deny(`${name} denies`));
const votersOf = (config: Config): readonly string[] =>
  decideNow(createKernel(config), SUBJECTS.beforeToolCall).votes.map(
    ({ plugin, from }) => `${plugin} from ${from}`,
  );

describe("`without`", () => {
  const ruled = definePlugin({
    name: "@demo/ruled",
    version: "1.0.0",
    options: z.strictObject({ rules: z.array(z.string()), final: z.array(z.string()).default([]) }),
    rules: ({ options: { rules, final } }) => [
      ...rules.map((name) => ({ name })),
      ...final.map((name) => ({ name, final: true })),
    ],
    apply({ hooks }, { rules, final }, { excludedRules }) {
      hooks.beforeToolCall.tap("rules", () =>
        [...rules, ...final]
          .filter((rule) => !excludedRules.has(rule))
          .map((rule) => deny(rule, undefined, { rule: { name: rule } })),
      );
      hooks.beforeToolCall.tap("other", () => deny("other"));
    },
  });
  const check = defineCheck({
    name: "no-writes",
    hook: "beforeToolCall",
    args: z.unknown(),
    check: () => deny("written"),
  });
  const inner = defineRuleset({ name: "@demo/inner", plugins: [denies("inner-check")] });
  const rules = defineRuleset({
    name: "@demo/rules",
    extends: [inner],
    plugins: [ruled({ rules: ["one", "two"] }), check],
  });
  const left = (without: readonly string[], extra: Partial<Config> = {}): readonly string[] =>
    decideNow(createKernel({ extends: [rules], ...extra, without }), call()).votes.map(
      ({ plugin, reason }) => (plugin === "@demo/ruled" ? reason : plugin),
    );

  it.each([
    ["a ruleset, with all that it extends", ["@demo/rules"], []],
    ["a ruleset inside a ruleset", ["@demo/inner"], ["other", "one", "two", "no-writes"]],
    ["a plugin", ["@demo/ruled"], ["inner-check", "no-writes"]],
    ["a check", ["no-writes"], ["other", "one", "two", "inner-check"]],
    ["a rule", ["@demo/ruled/one"], ["other", "two", "inner-check", "no-writes"]],
    [
      "several things",
      ["@demo/ruled/one", "@demo/ruled/two", "@demo/inner"],
      ["other", "no-writes"],
    ],
  ])("excludes %s", (_, without, wanted) => {
    expect([...left(without)].sort()).toEqual(wanted.toSorted());
  });

  it.each([
    ["nothing", ["@demo/rule"]],
    ["the config itself", ["config"]],
    ["an empty name", [""]],
    ["a rule that is not there", ["@demo/ruled/three"]],
    ["a tap, which may hold a final rule", ["@demo/ruled/rules"]],
    ["the tap of a check", ["no-writes/no-writes"]],
    ["the same thing twice", ["@demo/ruled", "@demo/ruled"]],
    ["something inside what is excludedRules already", ["@demo/ruled", "@demo/ruled/one"]],
  ])("that names %s is rejected", (_, without) => {
    expect(() => left(without)).toThrow(coded("BYLAW_WITHOUT_UNMATCHED"));
  });

  it("cannot exclude what the config itself lists", () => {
    expect(() => createKernel({ plugins: [denies("own")], without: ["own"] })).toThrow(
      coded("BYLAW_WITHOUT_UNMATCHED"),
    );
  });

  it("excludes a rule from the only use that still has it", () => {
    const extra = defineRuleset({ name: "@demo/extra", plugins: [ruled({ rules: ["three"] })] });
    const votes = left(["@demo/ruled/three"], { extends: [rules, extra] });
    expect(votes).toContain("one");
    expect(votes).not.toContain("three");
  });

  it.each([
    ["the rule", "@demo/ruled/last"],
    ["its plugin", "@demo/ruled"],
    ["its ruleset", "@demo/final"],
    ["a ruleset around its ruleset", "@demo/around"],
  ])("never removes a final rule by excluding %s", (_, entry) => {
    const final = defineRuleset({
      name: "@demo/final",
      plugins: [ruled({ rules: ["one"], final: ["last"] })],
    });
    const around = defineRuleset({ name: "@demo/around", extends: [final] });
    expect(() => createKernel({ extends: [around], without: [entry] })).toThrow(
      coded("BYLAW_WITHOUT_FINAL"),
    );
    expect(() => createKernel({ extends: [around], without: ["@demo/ruled/one"] })).not.toThrow();
  });

  it("of one path keeps what another path brings", () => {
    const again = defineRuleset({ name: "@demo/again", extends: [inner] });
    expect(votersOf({ extends: [rules, again], without: ["@demo/rules"] })).toEqual([
      "inner-check from config > @demo/again > @demo/inner",
    ]);
  });
});
