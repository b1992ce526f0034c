import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  allow,
  createKernel,
  defineConfig,
  definePlugin,
  defineRuleset,
  deny,
  type Config,
  type Plugin,
  type Ruleset,
} from "../src/index.ts";
import { SUBJECTS, call, decideNow, forged, voter } from "./kit.ts";

const coded = (code: unknown) => expect.objectContaining({ code });
const denies = (name: string): Plugin =>
  voter(name, "beforeToolCall", () => deny(`${name} denies`));
const votersOf = (config: Config): readonly string[] =>
  decideNow(createKernel(config), SUBJECTS.beforeToolCall).votes.map(
    ({ plugin, from }) => `${plugin} from ${from}`,
  );

const limit = definePlugin({
  name: "@demo/limit",
  version: "2.1.0",
  options: z.strictObject({ max: z.number().int().min(1), names: z.array(z.string()).default([]) }),
  apply: ({ hooks }, { max, names }) =>
    hooks.beforeToolCall.tap("limit", () => deny(`at most ${max} of ${names.join("+")}`)),
});

describe("a ruleset", () => {
  const base = defineRuleset({ name: "@demo/base", plugins: [denies("base-check")] });
  const left = defineRuleset({
    name: "@demo/left",
    extends: [base],
    plugins: [denies("left-check")],
  });
  const right = defineRuleset({ name: "@demo/right", extends: [base] });

  it("adds its votes, each with its origin", () => {
    expect(votersOf({ extends: [left], plugins: [denies("own")] })).toEqual([
      "base-check from config > @demo/left > @demo/base",
      "left-check from config > @demo/left",
      "own from config",
    ]);
  });

  it("reached by two paths votes once, and the order of the paths changes no outcome", () => {
    const one = decideNow(createKernel({ extends: [left, right, base] }), call());
    const other = decideNow(createKernel({ extends: [base, right, left] }), call());
    expect(one.votes.map(({ plugin }) => plugin)).toEqual(["base-check", "left-check"]);
    expect(other.votes.map(({ plugin }) => plugin)).toEqual(["base-check", "left-check"]);
    expect([other.effect, other.code, other.by, other.reason]).toEqual([
      one.effect,
      one.code,
      one.by,
      one.reason,
    ]);
  });

  it("has the same origin, whichever path to it comes first", () => {
    const one = decideNow(createKernel({ extends: [left, right] }), call());
    const other = decideNow(createKernel({ extends: [right, left] }), call());
    expect(other.votes).toEqual(one.votes);
  });

  it("that extends itself is rejected", () => {
    const loop: { name: string; extends: Ruleset[] } = { name: "@demo/loop", extends: [] };
    loop.extends.push({ name: "@demo/middle", extends: [loop] });
    expect(() => createKernel({ extends: [loop] })).toThrow(coded("BYLAW_CONFIG_INVALID"));
  });

  it("cannot grant through a plugin that does not declare it", () => {
    const sly = voter("sly", "beforeToolCall", () => allow("trust me"));
    expect(
      decideNow(createKernel({ extends: [{ name: "@demo/sly", plugins: [sly] }] }), call()),
    ).toMatchObject({ effect: "deny", code: "check_failed" });
  });

  it.each([
    ["no name", {}],
    ["a name that is no text", { name: 7 }],
    ["a fallback", { name: "x", fallback: "allow" }],
    ["an approval mode", { name: "x", approval_mode: "yolo" }],
    ["an enforcement mode", { name: "x", enforcement_mode: "advisory" }],
    ["a without", { name: "x", without: ["y"] }],
    ["a plugin that is none", { name: "x", plugins: [{ name: "y" }] }],
    ["plugins that are no list", { name: "x", plugins: {} }],
    ["extends that is no list", { name: "x", extends: { name: "y" } }],
    ["a base that is no ruleset", { name: "x", extends: ["@demo/base"] }],
    ["a base that is null", { name: "x", extends: [null] }],
  ])("with %s is refused", (_, ruleset) => {
    expect(() => createKernel({ extends: [forged(ruleset)] })).toThrow(
      coded("BYLAW_CONFIG_INVALID"),
    );
  });
});

describe("a configuration", () => {
  it.each([
    ["null", null],
    ["text", "x"],
    ["a list", []],
    ["an unknown key", { plugin: [] }],
    ["a misspelt key", { approvalMode: "ask" }],
    ["an own `__proto__`", JSON.parse('{"__proto__": {"fallback": "allow"}}')],
    ["a fallback that does not exist", { fallback: "ask" }],
    ["a fallback that objects inherit", { fallback: "toString" }],
    ["a fallback that is null", { fallback: null }],
    ["an enforcement mode that does not exist", { enforcement_mode: "off" }],
    ["a deadline of zero", { deadline_ms: 0 }],
    ["a deadline that never comes", { deadline_ms: Infinity }],
    ["a deadline that timers cannot hold", { deadline_ms: 2 ** 31 }],
    ["a deadline that is text", { deadline_ms: "100" }],
    ["plugins that are no list", { plugins: denies("a") }],
    ["a plugin that was never called", { plugins: [limit] }],
    ["a plugin that is null", { plugins: [null] }],
    ["without that is text", { without: "x" }],
    ["without that holds a number", { without: [7] }],
    ["extends that is text", { extends: "@demo/base" }],
    ["extends that is a number", { extends: 7 }],
    ["extends that holds null", { extends: [null] }],
  ])("that is or has %s is refused", (_, config) => {
    expect(() => createKernel(forged(config))).toThrow(coded("BYLAW_CONFIG_INVALID"));
  });

  it("is returned by defineConfig as it is", () => {
    const config = { fallback: "deny" } as const;
    expect(defineConfig(config)).toBe(config);
  });

  it("appears by name in the origin of its votes", () => {
    const from = (source: Parameters<typeof createKernel>[1]) =>
      decideNow(createKernel({ plugins: [denies("a")] }, source), call()).from;
    expect(from({})).toBe("config");
    expect(from({ configFile: "/srv/app/bylaw.config.ts" })).toBe("bylaw.config.ts");
    expect(from({ configFile: "C:\\app\\bylaw.config.ts" })).toBe("bylaw.config.ts");
    expect(from({ configFile: "/srv/app/bylaw.config.ts", name: "tests" })).toBe("tests");
  });
});
