import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  allow,
  createKernel,
  defineCheck,
  defineConfig,
  definePlugin,
  defineRuleset,
  deny,
  isPlugin,
  type Config,
  type KernelApi,
  type Plugin,
  type PluginInstance,
  type Ruleset,
} from "../src/index.ts";
import { HOOKS, SUBJECTS, call, decideNow, forged, plugin, voter } from "./kit.ts";

const coded = (code: unknown) => expect.objectContaining({ code });
const denies = (name: string): Plugin => voter(name, "beforeToolCall", () => deny(`${name} denies`));
const votersOf = (config: Config): readonly string[] =>
  decideNow(createKernel(config), SUBJECTS.beforeToolCall).votes.map(({ plugin, from }) => `${plugin} from ${from}`);

const limit = definePlugin({
  name: "@demo/limit",
  version: "2.1.0",
  options: z.strictObject({ max: z.number().int().min(1), names: z.array(z.string()).default([]) }),
  apply: ({ hooks }, { max, names }) => hooks.beforeToolCall.tap("limit", () => deny(`at most ${max} of ${names.join("+")}`)),
});

describe("the options of a plugin", () => {
  it("are parsed when the config is read, defaults filled in", () => {
    const made = limit({ max: 3 });
    expect(made).toMatchObject({ name: "@demo/limit", version: "2.1.0", grants: false, hard: false });
    expect(made.options).toEqual({ max: 3, names: [] });
    expect(Object.isFrozen(made)).toBe(true);
    expect(isPlugin(made)).toBe(true);
    expect(limit.plugin.name).toBe("@demo/limit");
  });

  it.each([
    ["missing", undefined, "expected object"],
    ["of the wrong type", { max: "3" }, "max"],
    ["out of range", { max: 0 }, "max"],
    ["unknown", { max: 1, maximum: 2 }, "maximum"],
    ["nested and wrong", { max: 1, names: [1] }, "names.0"],
    ["null", null, "object"],
  ])("that are %s are refused with their place", (_, options, mentions) => {
    const make = (): unknown => limit(forged(options));
    expect(make).toThrow(coded("BYLAW_OPTIONS_INVALID"));
    expect(make).toThrow(mentions);
    expect(make).toThrow("@demo/limit");
  });
});

describe("a plugin", () => {
  it("taps only while it is applied: later the kernel is sealed", () => {
    let kept: KernelApi | undefined;
    const keeps = plugin("keeps", (kernel) => void (kept = kernel), { grants: true });
    const kernel = createKernel({ plugins: [keeps] });
    const api = kept as unknown as KernelApi;
    const late: readonly (() => void)[] = [
      ...HOOKS.map((hook) => () => api.hooks[hook].tap("late", () => undefined)),
      ...HOOKS.map((hook) => () => api.hooks[hook].tapPromise("late", async () => undefined)),
      () => api.event({ name: "late", details: z.unknown() }),
      () => api.projection({ name: "late", version: 1, initial: 0, reduce: (state) => state }),
      () => api.guard("late", () => undefined),
      () => api.sink({ name: "late", write: () => {} }),
      () => api.prepare("late", () => ({})),
      () => api.fallback("allow"),
      () => api.editsWorkspace(() => true),
      () => api.digest("sha256:0"),
    ];
    for (const act of late) expect(act).toThrow(coded("BYLAW_KERNEL_SEALED"));
    expect(decideNow(kernel, call())).toMatchObject({ effect: "ask_user", code: "fallback" });
    expect(kernel.policy).toEqual({ keeps: "1.0.0" });
  });

  it("cannot be changed through the kernel, nor can the kernel", () => {
    const kernel = createKernel({ plugins: [denies("a")] });
    expect(Object.isFrozen(kernel)).toBe(true);
    expect(Object.isFrozen(kernel.policy)).toBe(true);
    expect(() => Object.assign(kernel.plugins[0]?.plugin as object, { grants: true })).toThrow(TypeError);
  });

  it("that applies asynchronously is refused: it would tap after the seal and check nothing", () => {
    const late = plugin(
      "late",
      forged(async () => {}),
    );
    expect(() => createKernel({ plugins: [late] })).toThrow(coded("BYLAW_PLUGIN_INVALID"));
  });

  it("that throws while it is applied makes no kernel", () => {
    const broken = plugin("broken", () => {
      throw new Error("no such file");
    });
    expect(() => createKernel({ plugins: [broken, denies("a")] })).toThrow("no such file");
  });

  it.each(["", " ", "__proto__", "a b", "a\nb", "a\u0000b"])("cannot be named %j: names are keys and are printed", (name) => {
    const make = (): unknown => createKernel({ plugins: [denies(name)] });
    expect(make).toThrow(coded(expect.stringMatching(/^BYLAW_(CONFIG|PLUGIN)_INVALID$/)));
  });

  it("taps under a name", () => {
    for (const name of ["", " ", forged(undefined)]) {
      const nameless = plugin("nameless", ({ hooks }) => hooks.beforeToolCall.tap(name, () => undefined));
      expect(() => createKernel({ plugins: [nameless] })).toThrow(coded(expect.stringMatching(/^BYLAW_(CONFIG|PLUGIN)_INVALID$/)));
    }
  });

  it("is refused where another definition has its name, in the config or in a ruleset", () => {
    const ruleset = defineRuleset({ name: "@demo/rules", plugins: [denies("same")] });
    for (const config of [
      { plugins: [denies("same"), denies("same")] },
      { extends: [ruleset], plugins: [denies("same")] },
      { extends: [ruleset, { name: "@demo/other", plugins: [denies("same")] }] },
    ]) {
      expect(() => createKernel(config)).toThrow(coded("BYLAW_PLUGIN_DUPLICATE"));
    }
  });

  it("that is used twice with other options stands twice, each use for itself", () => {
    const plugins = [limit({ max: 1, names: ["a"] }), limit({ max: 2, names: ["b"] })];
    const { votes } = decideNow(createKernel({ plugins }), call());
    expect(votes.map(({ reason }) => reason)).toEqual(["at most 1 of a", "at most 2 of b"]);
  });

  it("that is used twice has both digests among what it decides by, in any order", () => {
    const digested = definePlugin({
      name: "@demo/digested",
      version: "1.0.0",
      options: z.strictObject({ sha: z.string() }),
      apply: (kernel, { sha }) => kernel.digest(sha),
    });
    const policyOf = (...shas: readonly string[]): unknown => createKernel({ plugins: shas.map((sha) => digested({ sha })) }).policy;
    expect(policyOf("sha256:a", "sha256:b")).not.toEqual(policyOf("sha256:c", "sha256:b"));
    expect(policyOf("sha256:a", "sha256:b")).not.toEqual(policyOf("sha256:a", "sha256:c"));
    expect(policyOf("sha256:a", "sha256:b")).toEqual(policyOf("sha256:b", "sha256:a"));
  });

  it("that is pooled gets all its uses in one apply, from wherever they come", () => {
    const pools: (readonly PluginInstance<{ file: string }>[])[] = [];
    const pooled = definePlugin({
      name: "@demo/pooled",
      version: "1.0.0",
      options: z.strictObject({ file: z.string() }),
      applyPool(kernel, instances) {
        pools.push(instances);
        kernel.hooks.beforeToolCall.tap("pool", () => deny("pooled"));
      },
    });
    const inner = defineRuleset({ name: "@demo/inner", plugins: [pooled({ file: "inner.toml" })] });
    const outer = defineRuleset({ name: "@demo/outer", extends: [inner], plugins: [pooled({ file: "outer.toml" })] });
    const kernel = createKernel({ extends: [outer], plugins: [pooled({ file: "own.toml" })] }, { configFile: "/home/me/bylaw.config.ts" });
    expect(pools).toHaveLength(1);
    const uses = pools[0]?.map(({ options: { file }, from, configFile = "" }) => `${file} by ${from} in ${configFile}`);
    expect(uses?.toSorted()).toEqual([
      "inner.toml by bylaw.config.ts > @demo/outer > @demo/inner in /home/me/bylaw.config.ts",
      "outer.toml by bylaw.config.ts > @demo/outer in /home/me/bylaw.config.ts",
      "own.toml by bylaw.config.ts in /home/me/bylaw.config.ts",
    ]);
    expect(decideNow(kernel, call()).votes).toHaveLength(1);
    expect(kernel.plugins).toMatchObject([{ plugin: { name: "@demo/pooled" }, instances: [{}, {}, {}] }]);
  });
});

describe("a ruleset", () => {
  const base = defineRuleset({ name: "@demo/base", plugins: [denies("base-check")] });
  const left = defineRuleset({ name: "@demo/left", extends: [base], plugins: [denies("left-check")] });
  const right = defineRuleset({ name: "@demo/right", extends: [base] });

  it("adds its votes, and each says where it comes from", () => {
    expect(votersOf({ extends: [left], plugins: [denies("own")] })).toEqual([
      "base-check from config > @demo/left > @demo/base",
      "left-check from config > @demo/left",
      "own from config",
    ]);
  });

  it("that is reached by two paths votes once, and the order of paths changes no outcome", () => {
    const one = decideNow(createKernel({ extends: [left, right, base] }), call());
    const other = decideNow(createKernel({ extends: [base, right, left] }), call());
    expect(one.votes.map(({ plugin }) => plugin)).toEqual(["base-check", "left-check"]);
    expect(other.votes.map(({ plugin }) => plugin)).toEqual(["base-check", "left-check"]);
    expect([other.effect, other.code, other.by, other.reason]).toEqual([one.effect, one.code, one.by, one.reason]);
  });

  it("names its provenance the same, whichever path to it comes first", () => {
    const one = decideNow(createKernel({ extends: [left, right] }), call());
    const other = decideNow(createKernel({ extends: [right, left] }), call());
    expect(other.votes).toEqual(one.votes);
  });

  it("that extends itself is refused", () => {
    const loop: { name: string; extends: Ruleset[] } = { name: "@demo/loop", extends: [] };
    loop.extends.push({ name: "@demo/middle", extends: [loop] });
    expect(() => createKernel({ extends: [loop] })).toThrow(coded("BYLAW_CONFIG_INVALID"));
  });

  it("cannot grant through a plugin that does not declare it", () => {
    const sly = voter("sly", "beforeToolCall", () => allow("trust me"));
    expect(decideNow(createKernel({ extends: [{ name: "@demo/sly", plugins: [sly] }] }), call())).toMatchObject({
      effect: "deny",
      code: "check_failed",
    });
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
    expect(() => createKernel({ extends: [forged(ruleset)] })).toThrow(coded("BYLAW_CONFIG_INVALID"));
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

  it("gives its name to what it brings", () => {
    const from = (source: Parameters<typeof createKernel>[1]) => decideNow(createKernel({ plugins: [denies("a")] }, source), call()).from;
    expect(from({})).toBe("config");
    expect(from({ configFile: "/srv/app/bylaw.config.ts" })).toBe("bylaw.config.ts");
    expect(from({ configFile: "C:\\app\\bylaw.config.ts" })).toBe("bylaw.config.ts");
    expect(from({ configFile: "/srv/app/bylaw.config.ts", name: "tests" })).toBe("tests");
  });
});

describe("`without`", () => {
  const ruled = definePlugin({
    name: "@demo/ruled",
    version: "1.0.0",
    options: z.strictObject({ rules: z.array(z.string()), final: z.array(z.string()).default([]) }),
    rules: ({ options: { rules, final } }) => [...rules.map((name) => ({ name })), ...final.map((name) => ({ name, final: true }))],
    apply({ hooks }, { rules, final }, { dropped }) {
      hooks.beforeToolCall.tap("rules", () =>
        [...rules, ...final].filter((rule) => !dropped.has(rule)).map((rule) => deny(rule, undefined, { rule: { name: rule } })),
      );
      hooks.beforeToolCall.tap("other", () => deny("other"));
    },
  });
  const check = defineCheck({ name: "no-writes", hook: "beforeToolCall", args: z.unknown(), check: () => deny("written") });
  const inner = defineRuleset({ name: "@demo/inner", plugins: [denies("inner-check")] });
  const rules = defineRuleset({ name: "@demo/rules", extends: [inner], plugins: [ruled({ rules: ["one", "two"] }), check] });
  const left = (without: readonly string[], extra: Partial<Config> = {}): readonly string[] =>
    decideNow(createKernel({ extends: [rules], ...extra, without }), call()).votes.map(({ plugin, reason }) =>
      plugin === "@demo/ruled" ? reason : plugin,
    );

  it.each([
    ["a ruleset, with all that it extends", ["@demo/rules"], []],
    ["a ruleset inside a ruleset", ["@demo/inner"], ["other", "one", "two", "no-writes"]],
    ["a plugin", ["@demo/ruled"], ["inner-check", "no-writes"]],
    ["a check", ["no-writes"], ["other", "one", "two", "inner-check"]],
    ["a rule", ["@demo/ruled/one"], ["other", "two", "inner-check", "no-writes"]],
    ["several things", ["@demo/ruled/one", "@demo/ruled/two", "@demo/inner"], ["other", "no-writes"]],
  ])("drops %s", (_, without, wanted) => {
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
    ["something inside what is dropped already", ["@demo/ruled", "@demo/ruled/one"]],
  ])("that names %s is refused", (_, without) => {
    expect(() => left(without)).toThrow(coded("BYLAW_WITHOUT_UNMATCHED"));
  });

  it("cannot drop what the config itself lists", () => {
    expect(() => createKernel({ plugins: [denies("own")], without: ["own"] })).toThrow(coded("BYLAW_WITHOUT_UNMATCHED"));
  });

  it("drops a rule from the one use that has it, where another use has not", () => {
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
  ])("never loses a final rule by dropping %s", (_, entry) => {
    const final = defineRuleset({ name: "@demo/final", plugins: [ruled({ rules: ["one"], final: ["last"] })] });
    const around = defineRuleset({ name: "@demo/around", extends: [final] });
    expect(() => createKernel({ extends: [around], without: [entry] })).toThrow(coded("BYLAW_WITHOUT_FINAL"));
    expect(() => createKernel({ extends: [around], without: ["@demo/ruled/one"] })).not.toThrow();
  });

  it("of one path leaves what another path brings", () => {
    const again = defineRuleset({ name: "@demo/again", extends: [inner] });
    expect(votersOf({ extends: [rules, again], without: ["@demo/rules"] })).toEqual([
      "inner-check from config > @demo/again > @demo/inner",
    ]);
  });
});
