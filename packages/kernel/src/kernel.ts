import type { Decision, Explanation } from "../contract/decision.d.ts";
import type { Json, JsonObject } from "../contract/json.d.ts";
import type { Declared, Kernel, KernelSource } from "../contract/kernel.d.ts";
import type { KernelApi, Plugin, PluginInstance } from "../contract/plugin.d.ts";
import type { View } from "../contract/projection.d.ts";
import type { Config } from "../contract/ruleset.d.ts";
import type { Subject } from "../contract/subject.d.ts";
import type { Effect, HookName, Vote } from "../contract/verdict.d.ts";
import { combine, settle, type DecisionContext } from "./decision.ts";
import { BylawError, messageOf } from "./errors.ts";
import { createBallots, failed, origins, within, type Tapper } from "./hooks.ts";
import { freezeJson, isJsonObject, present } from "./json.ts";
import { emptyView } from "./projection.ts";
import { resolve } from "./ruleset.ts";
import { admit, isAdmitted, withFacts } from "./subject.ts";
import { isEffect, stricter } from "./verdict.ts";

const HOOKS: readonly HookName[] = ["beforeToolCall", "onTransition", "onBehavior", "onEnforcement"];
const eachHook = <T>(make: (hook: HookName) => T): Readonly<Record<HookName, T>> =>
  Object.fromEntries(HOOKS.map((hook) => [hook, make(hook)])) as Record<HookName, T>;

/** Applies the plugins of a configuration and seals them. Throws {@link BylawError} for what is wrong in it. */
export function createKernel(config: Config, { configFile, name }: KernelSource = {}): Kernel {
  const plugins = resolve(config, name ?? configFile?.split(/[\\/]/).at(-1) ?? "config", configFile);
  const { fallback: own = "ask_user", approval_mode = "ask", enforcement_mode = "strict", deadline_ms = 10_000 } = config;
  const ballots = eachHook((hook) => createBallots(hook, deadline_ms));
  const names = plugins.map(({ plugin }) => plugin.name);
  const declared = { plugins: names, events: [], projections: [], guards: [], sinks: [], redactors: [] } satisfies Declared as {
    [K in keyof Declared]: Declared[K][number][];
  };
  const preparers: { readonly tapper: Tapper; readonly tap: string; readonly work: Parameters<KernelApi["prepare"]>[1] }[] = [];
  const unprepared = new WeakMap<Subject, readonly Vote[]>();
  const editors: ((subject: Subject) => boolean)[] = [];
  const versions: Record<string, string> = {};
  const hard = new Set(plugins.flatMap(({ plugin }) => (plugin.hard ? [plugin.name] : [])));
  const fallbacks: Effect[] = [];
  const seals: ((declared: Declared) => void)[] = [];
  let sealed = false;

  function apply({ name: plugin, version, grants, codes, definition }: Plugin, instances: readonly PluginInstance<unknown>[]): void {
    const from = [...new Set(instances.map((instance) => instance.from))].join(", ");
    const tapper: Tapper = { plugin, from, grants, codes };
    const open = (what: string, may = true): void => {
      const problem = (wanted: string): string => `Unexpected ${what} of ${plugin}, expected it ${wanted}`;
      if (sealed) throw new BylawError({ code: "BYLAW_KERNEL_SEALED", message: problem("before the kernel is sealed") });
      if (!may)
        throw new BylawError({
          code: "BYLAW_PLUGIN_INVALID",
          message: problem("with a name and a value that fit, and to loosen only of a plugin that grants"),
        });
    };
    const digests: string[] = [];
    const declare =
      <T>(what: string, list: T[], may?: boolean) =>
      (item: T): void => {
        open(what, may);
        list.push(item);
      };
    definition.apply(
      {
        hooks: eachHook((hook) => ballots[hook].facade(tapper, open)) as KernelApi["hooks"],
        event: declare("event type", declared.events),
        projection: declare("projection", declared.projections),
        guard: (guardName, guard) => declare("guard", declared.guards)({ name: `${plugin}/${guardName}`, guard }),
        sink: declare("sink", declared.sinks),
        redact: declare("redact", declared.redactors),
        prepare: (tap, work) => declare("prepare", preparers)({ tapper, tap, work }),
        fallback: (effect) => declare(`fallback ${effect}`, fallbacks, grants && isEffect(effect))(effect),
        editsWorkspace: declare("editsWorkspace", editors, grants),
        digest: declare("digest", digests),
        onSeal: declare("onSeal", seals),
      },
      instances,
    );
    versions[plugin] = [...(versions[plugin]?.split(" ") ?? []), ...(digests.length > 0 ? digests : [version])].sort().join(" ");
  }

  for (const { plugin, instances } of plugins) {
    for (const group of plugin.definition.pooled ? [instances] : instances.map((instance) => [instance])) apply(plugin, group);
  }
  sealed = true;
  for (const list of Object.values(declared)) Object.freeze(list);
  for (const check of seals) check(declared);
  const policy = freezeJson(versions) as Readonly<Record<string, string>>;
  const context: DecisionContext = {
    hard,
    policy,
    enforcement_mode,
    approval_mode,
    fallback: fallbacks.length === 0 ? own : fallbacks.reduce(stricter),
    editsWorkspace: (subject) => editors.some((test) => attempt(() => test(subject)) === true),
  };

  const refuse: Kernel["refuse"] = (subject, code, reason) => {
    const [given, id] = ["hook", "id"].map((key) => attempt(() => (isJsonObject(subject) ? subject[key] : undefined)));
    const hook = HOOKS.find((name) => name === given) ?? "beforeToolCall";
    const voted = { votes: [], policy, enforcement_mode, effect: "deny", applied: "deny", code, reason } as const;
    return typeof id === "string" ? { id, hook, ...voted } : { hook, ...voted };
  };

  // `finish` runs synchronously when every tap is synchronous; then its result is returned as it is.
  function poll<T>(input: Subject, view: View, finish: (decision: Decision, subject: Subject) => T): T | Promise<T> {
    let subject: Subject;
    try {
      subject = isAdmitted(input, context) ? input : admit(input, context);
    } catch (error) {
      const refused = refuse(input, "invalid_call", messageOf(error));
      return finish(refused, { hook: refused.hook } as Subject);
    }
    const count = (votes: readonly Vote[]): T => {
      const failures = unprepared.get(subject);
      return finish(combine(subject, failures === undefined ? votes : [...failures, ...votes], context), subject);
    };
    const votes = ballots[subject.hook].ask(subject, view);
    return votes instanceof Promise ? votes.then(count) : count(votes);
  }

  const explained = (decision: Decision, subject: Subject, view: View): Explanation => ({
    decision: settle(decision, subject, context),
    taps: (isAdmitted(subject, context) ? ballots[decision.hook].taps : []).map((info) => {
      const { explain, hook: _, ...tap } = info;
      const votes = decision.votes.filter((vote) => origins.get(vote) === info);
      return { ...tap, votes, ...present({ because: explain && attempt(() => explain(subject as never, view)) }) };
    }),
  });

  const kernel: Kernel = {
    policy,
    enforcement_mode,
    deadline_ms,
    declared,
    plugins,
    async prepare(input) {
      const subject = admit(input, context);
      if (preparers.length === 0) return subject;
      const facts: Record<string, JsonObject> = {};
      const failures: Vote[] = [];
      for (const { tapper, tap, work } of preparers) {
        try {
          const given: unknown = work(subject);
          const prepared = factsOf(given instanceof Promise ? await within(deadline_ms, () => given) : given);
          if (prepared !== undefined) facts[tapper.plugin] = Object.freeze({ ...facts[tapper.plugin], ...prepared });
        } catch (error) {
          failures.push(failed({ plugin: tapper.plugin, tap, from: tapper.from }, error));
        }
      }
      if (failures.length === 0 && Object.keys(facts).length === 0) return subject;
      const prepared = withFacts(subject, context, facts);
      if (failures.length > 0) unprepared.set(prepared, failures);
      return prepared;
    },
    decide: (input, view = emptyView, grant?) => poll(input, view, (decision, subject) => settle(decision, subject, context, grant)),
    explain: (input, view = emptyView) => poll(input, view, (decision, subject) => explained(decision, subject, view)),
    refuse,
  };
  return Object.freeze(kernel);
}

function factsOf(facts: unknown): JsonObject | undefined {
  if (facts === undefined) return undefined;
  const copy = freezeJson(facts);
  if (isJsonObject(copy)) return copy;
  throw new Error("Unexpected facts, expected an object or nothing");
}

// What other code says when it is asked about something that it cannot be trusted with.
function attempt(work: () => unknown): Json {
  try {
    return freezeJson(work() ?? null);
  } catch (error) {
    return { failed: messageOf(error) };
  }
}
