import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createKernel,
  definePlugin,
  defineRuleset,
  deny,
  isPlugin,
  type KernelApi,
  type Plugin,
} from "../src/index.ts";
import type { PluginInstance } from "../src/plugin.ts";
import { HOOKS, call, decideNow, forged, plugin, voter } from "./kit.ts";

const coded = (code: unknown) => expect.objectContaining({ code });
const denies = (name: string): Plugin =>
  voter(name, "beforeToolCall", () => deny(`${name} denies`));

const limit = definePlugin({
  name: "@demo/limit",
  version: "2.1.0",
  options: z.strictObject({ max: z.number().int().min(1), names: z.array(z.string()).default([]) }),
  apply: ({ hooks }, { max, names }) =>
    hooks.beforeToolCall.tap("limit", () => deny(`at most ${max} of ${names.join("+")}`)),
});

describe("the options of a plugin", () => {
  it("are parsed when the config is read, defaults filled in", () => {
    const made = limit({ max: 3 });
    expect(made).toMatchObject({
      name: "@demo/limit",
      version: "2.1.0",
      grants: false,
      neverSoftened: false,
    });
    expect(made.options).toEqual({ max: 3, names: [] });
    expect(Object.isFrozen(made)).toBe(true);
    expect(isPlugin(made)).toBe(true);
    expect(limit.plugin.name).toBe("@demo/limit");
  });

  it.each([
    ["missing", undefined, "the options must be an object"],
    ["of the wrong type", { max: "3" }, "max"],
    ["out of range", { max: 0 }, "max"],
    ["unknown", { max: 1, maximum: 2 }, "maximum"],
    ["nested and wrong", { max: 1, names: [1] }, "names.0"],
    ["null", null, "object"],
  ])("that are %s are rejected with their path", (_, options, mentions) => {
    const make = (): unknown => limit(forged(options));
    expect(make).toThrow(coded("BYLAW_OPTIONS_INVALID"));
    expect(make).toThrow(mentions);
    expect(make).toThrow("@demo/limit");
  });
});

describe("a plugin", () => {
  it("can tap only while it is applied: later the kernel is sealed", () => {
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
      () => api.sink({ name: "late", open: () => ({ write: () => {} }) }),
      () => api.redact(({ details }) => details),
      () => api.prepare("late", () => ({})),
      () => api.fallback("allow"),
      () => api.letThrough("autoEdit", () => true),
      () => api.digest("sha256:0"),
    ];
    for (const act of late) expect(act).toThrow(coded("BYLAW_KERNEL_SEALED"));
    expect(decideNow(kernel, call())).toMatchObject({ effect: "ask_user", code: "fallback" });
    expect(kernel.policy).toEqual({ keeps: "1.0.0" });
  });

  it("cannot be changed through the kernel, and cannot change the kernel", () => {
    const kernel = createKernel({ plugins: [denies("a")] });
    expect(Object.isFrozen(kernel)).toBe(true);
    expect(Object.isFrozen(kernel.policy)).toBe(true);
    expect(() => Object.assign(kernel.plugins[0]?.plugin as object, { grants: true })).toThrow(
      TypeError,
    );
    // A declaration after the seal would change what the log accepts.
    for (const list of Object.values<readonly unknown[]>({ ...kernel.declared }))
      expect(() => (list as unknown[]).push({})).toThrow(TypeError);
  });

  it("that applies asynchronously is rejected, because it would tap after the seal and check nothing", () => {
    const late = plugin(
      "late",
      forged(async () => {}),
    );
    expect(() => createKernel({ plugins: [late] })).toThrow(coded("BYLAW_PLUGIN_INVALID"));
  });

  it("that throws while it is applied prevents the kernel", () => {
    const broken = plugin("broken", () => {
      throw new Error("no such file");
    });
    expect(() => createKernel({ plugins: [broken, denies("a")] })).toThrow("no such file");
  });

  it.each(["", " ", "__proto__", "a b", "a\nb", "a\u0000b"])(
    "cannot be named %j: names are keys and are printed",
    (name) => {
      const make = (): unknown => createKernel({ plugins: [denies(name)] });
      expect(make).toThrow(coded(expect.stringMatching(/^BYLAW_(CONFIG|PLUGIN)_INVALID$/)));
    },
  );

  it("needs a name for each tap", () => {
    for (const name of ["", " ", forged(undefined)]) {
      const nameless = plugin("nameless", ({ hooks }) =>
        hooks.beforeToolCall.tap(name, () => undefined),
      );
      expect(() => createKernel({ plugins: [nameless] })).toThrow(
        coded(expect.stringMatching(/^BYLAW_(CONFIG|PLUGIN)_INVALID$/)),
      );
    }
  });

  it("is rejected if another definition has its name, in the config or in a ruleset", () => {
    const ruleset = defineRuleset({ name: "@demo/rules", plugins: [denies("same")] });
    for (const config of [
      { plugins: [denies("same"), denies("same")] },
      { extends: [ruleset], plugins: [denies("same")] },
      { extends: [ruleset, { name: "@demo/other", plugins: [denies("same")] }] },
    ]) {
      expect(() => createKernel(config)).toThrow(coded("BYLAW_PLUGIN_DUPLICATE"));
    }
  });

  it("of Bylaw may be present in two copies of one release, whose uses count together", () => {
    const copy = (version: string): Plugin =>
      definePlugin({
        ...{ name: "@bylaw/plugin-demo", version, options: z.strictObject({}).prefault({}) },
        applyAll: ({ hooks }, uses) =>
          hooks.beforeToolCall.tap("uses", () => deny(`used ${uses.length} times`)),
      })();
    const config = { extends: [{ name: "@acme/rules", plugins: [copy("1.0.0")] }] };
    const { votes } = decideNow(createKernel({ ...config, plugins: [copy("1.0.0")] }), call());
    expect(votes.map(({ reason }) => reason)).toEqual(["used 2 times"]);
    expect(() => createKernel({ ...config, plugins: [copy("1.0.1")] })).toThrow(
      coded("BYLAW_PLUGIN_DUPLICATE"),
    );
  });

  it("that is used twice with different options votes once for each use", () => {
    const plugins = [limit({ max: 1, names: ["a"] }), limit({ max: 2, names: ["b"] })];
    const { votes } = decideNow(createKernel({ plugins }), call());
    expect(votes.map(({ reason }) => reason)).toEqual(["at most 1 of a", "at most 2 of b"]);
  });

  it("that is used twice contributes both digests, in any order", () => {
    const digested = definePlugin({
      name: "@demo/digested",
      version: "1.0.0",
      options: z.strictObject({ sha: z.string() }),
      apply: (kernel, { sha }) => kernel.digest(sha),
    });
    const policyOf = (...shas: readonly string[]): unknown =>
      createKernel({ plugins: shas.map((sha) => digested({ sha })) }).policy;
    expect(policyOf("sha256:a", "sha256:b")).not.toEqual(policyOf("sha256:c", "sha256:b"));
    expect(policyOf("sha256:a", "sha256:b")).not.toEqual(policyOf("sha256:a", "sha256:c"));
    expect(policyOf("sha256:a", "sha256:b")).toEqual(policyOf("sha256:b", "sha256:a"));
  });

  it("that is shared gets all its uses in one `apply`, whatever their origin", () => {
    const pools: (readonly PluginInstance<{ file: string }>[])[] = [];
    const pooled = definePlugin({
      name: "@demo/pooled",
      version: "1.0.0",
      options: z.strictObject({ file: z.string() }),
      applyAll(kernel, instances) {
        pools.push(instances);
        kernel.hooks.beforeToolCall.tap("pool", () => deny("pooled"));
      },
    });
    const inner = defineRuleset({ name: "@demo/inner", plugins: [pooled({ file: "inner.toml" })] });
    const outer = defineRuleset({
      name: "@demo/outer",
      extends: [inner],
      plugins: [pooled({ file: "outer.toml" })],
    });
    const kernel = createKernel(
      { extends: [outer], plugins: [pooled({ file: "own.toml" })] },
      { configFile: "/home/me/bylaw.config.ts" },
    );
    expect(pools).toHaveLength(1);
    const uses = pools[0]?.map(
      ({ options: { file }, from, configFile = "" }) => `${file} by ${from} in ${configFile}`,
    );
    expect(uses?.toSorted()).toEqual([
      "inner.toml by bylaw.config.ts > @demo/outer > @demo/inner in /home/me/bylaw.config.ts",
      "outer.toml by bylaw.config.ts > @demo/outer in /home/me/bylaw.config.ts",
      "own.toml by bylaw.config.ts in /home/me/bylaw.config.ts",
    ]);
    expect(decideNow(kernel, call()).votes).toHaveLength(1);
    expect(kernel.plugins).toMatchObject([
      { plugin: { name: "@demo/pooled" }, instances: [{}, {}, {}] },
    ]);
  });
});
