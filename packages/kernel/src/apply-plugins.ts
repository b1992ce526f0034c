import type { DecisionContext } from "./combine.ts";
import type { EnforcementMode } from "./decision.ts";
import type { Declared } from "./declared.ts";
import { BylawError } from "./errors.ts";
import type { Faults } from "./faults.ts";
import { HookRunner, type TapContext } from "./hook-runner.ts";
import type { Hooks, KernelApi, Plugin, PluginInstance, Prepare } from "./plugin.ts";
import type { Config, ResolvedPlugin } from "./ruleset.ts";
import type { ToolCall } from "./subject.ts";
import { HOOKS, isEffect, stricter, type Effect, type HookName } from "./verdict.ts";

/** A function of a plugin that prepares each subject once, before taps are asked. */
export interface Preparer {
  readonly context: TapContext;
  readonly tap: string;
  readonly work: Prepare;
}

type Growing = { [K in keyof Declared]: Declared[K][number][] };
type Digest = Parameters<KernelApi["digest"]>[0];
type LetsThrough = Parameters<KernelApi["letThrough"]>;

/** Applies plugins and collects what they tap and declare. Sealed once all are applied. */
export class AppliedPlugins {
  readonly hooks: Readonly<Record<HookName, HookRunner>>;
  readonly declared: Growing = {
    plugins: [],
    events: [],
    projections: [],
    guards: [],
    sinks: [],
    redactors: [],
  };
  readonly preparers: Preparer[] = [];
  readonly context: DecisionContext;
  readonly deadline_ms: number;
  readonly #versions = new Map<string, Digest[]>();
  readonly #fallbacks: Effect[] = [];
  readonly #reasons: ((call: ToolCall) => string | undefined)[] = [];
  readonly #letsThrough: LetsThrough[] = [];
  readonly #modes: EnforcementMode[] = [];
  readonly #seals: ((declared: Declared) => void)[] = [];
  #sealed = false;

  constructor(plugins: readonly ResolvedPlugin[], config: Config, faults: Faults) {
    const { deadline_ms = 10_000, fallback = "ask_user" } = config;
    this.deadline_ms = deadline_ms;
    this.hooks = Object.fromEntries(
      HOOKS.map((hook) => [hook, new HookRunner(hook, deadline_ms)]),
    ) as Record<HookName, HookRunner>;
    for (const { plugin, instances } of plugins) {
      this.declared.plugins.push(plugin.name);
      const { shared } = plugin.definition;
      for (const group of shared ? [instances] : instances.map((instance) => [instance]))
        faults.attempt(() => this.#apply(plugin, group));
    }
    this.#sealed = true;
    for (const list of Object.values(this.declared)) Object.freeze(list);
    // What a check misses may be of a plugin that could not be applied.
    for (const check of faults.hasFailed ? [] : this.#seals)
      faults.attempt(() => check(this.declared));
    const mode = faults.attempt(() =>
      onlyMode(config.enforcement_mode ?? this.#modes[0], this.#modes),
    );
    faults.throwAll();
    const heldFast = new Map(
      plugins.map(({ plugin: { name, neverSoftened } }) => [name, new Set([neverSoftened].flat())]),
    );
    this.context = {
      policy: policyOf(this.#versions),
      enforcement_mode: mode ?? "strict",
      approval_mode: config.approval_mode ?? "ask",
      fallback: this.#fallbacks.length === 0 ? fallback : this.#fallbacks.reduce(stricter),
      neverSoftened: ({ plugin: name, code }) =>
        [true, code].some((held) => heldFast.get(name)?.has(held)),
      letsThrough: (mode, call) => {
        const tests = this.#letsThrough.filter(([of]) => of === mode);
        const holds = ([, test]: LetsThrough): boolean => attempt(test, call) === true;
        return mode === "yolo" ? tests.every(holds) : tests.some(holds);
      },
      unmatched: (call) =>
        this.#reasons.map((reason) => attempt(reason, call)).find(Boolean) ??
        `No rule covers this call of \`${call.tool}\``,
    };
  }

  #apply(plugin: Plugin, instances: readonly PluginInstance<unknown>[]): void {
    const { name, version, grants, codes } = plugin;
    const from = [...new Set(instances.map((instance) => instance.from))].join(", ");
    const digests: Digest[] = [];
    plugin.definition.apply(this.#api({ plugin: name, from, grants, codes }, digests), instances);
    const earlier = this.#versions.get(name) ?? [];
    this.#versions.set(name, [...earlier, ...(digests.length > 0 ? digests : [version])]);
  }

  #api(context: TapContext, digests: Digest[]): KernelApi {
    const { plugin, grants } = context;
    const { events, projections, guards, sinks, redactors } = this.declared;
    const declare = (what: string, may = true): void => this.#checkDeclares(plugin, what, may);
    const add = <T>(what: string, list: T[], item: T, may?: boolean): void => {
      declare(what, may);
      list.push(item);
    };
    return {
      hooks: Object.fromEntries(
        HOOKS.map((hook) => [hook, this.hooks[hook].hookFor(context, declare)]),
      ) as unknown as Hooks,
      event: (type) => add("event type", events, type),
      projection: (projection) => add("projection", projections, projection),
      guard: (name, guard) => add("guard", guards, { name: `${plugin}/${name}`, guard }),
      sink: (sink) => add("sink", sinks, sink),
      redact: (redactor) => add("redact", redactors, redactor),
      prepare: (tap, work) => add("prepare", this.preparers, { context, tap, work }),
      fallback: (effect) =>
        add(`fallback ${effect}`, this.#fallbacks, effect, grants && isEffect(effect)),
      unmatched: (reason) => add("unmatched", this.#reasons, reason),
      letThrough: (mode, test) =>
        add(`letThrough ${mode}`, this.#letsThrough, [mode, test], grants),
      enforcementMode: (mode) => add(`enforcement mode ${mode}`, this.#modes, mode, grants),
      digest: (sha256) => add("digest", digests, sha256),
      onSeal: (check) => add("onSeal", this.#seals, check),
    };
  }

  #checkDeclares(plugin: string, what: string, may: boolean): void {
    if (this.#sealed)
      throw new BylawError({
        code: "BYLAW_KERNEL_SEALED",
        message: `${plugin} declares ${what} after the kernel was sealed`,
        fix: "Declare everything while `apply` runs.",
      });
    if (!may)
      throw new BylawError({
        code: "BYLAW_PLUGIN_INVALID",
        message: `${plugin} may not declare ${what}`,
        fix: "A tap needs a name, and only a plugin with `grants` may loosen.",
      });
  }
}

/** What each plugin decides by. A digest is computed when it is first read, because few single calls need it. */
function policyOf(
  versions: ReadonlyMap<string, readonly Digest[]>,
): Readonly<Record<string, string>> {
  const policy: Record<string, string> = {};
  for (const [name, digests] of versions) {
    let text: string | undefined;
    const get = (): string =>
      (text ??= digests
        .map((one) => (typeof one === "string" ? one : one()))
        .sort()
        .join(" "));
    Object.defineProperty(policy, name, { enumerable: true, get });
  }
  return Object.freeze(policy);
}

function onlyMode(
  mode: EnforcementMode = "strict",
  wanted: readonly EnforcementMode[],
): EnforcementMode {
  const other = wanted.find((one) => one !== mode);
  if (other === undefined) return mode;
  const message = `The enforcement mode is \`${mode}\`, and a contract asks for \`${other}\``;
  const fix = "Leave `enforcement_mode` out of the config, or change the contract.";
  throw new BylawError({ code: "BYLAW_CONFIG_INVALID", message, fix });
}

// A test that throws allows nothing, and a reason that throws is no reason.
function attempt<T>(work: (call: ToolCall) => T, call: ToolCall): T | undefined {
  try {
    return work(call);
  } catch {
    return undefined;
  }
}
