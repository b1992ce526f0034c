import type { Decision, Explanation, Grant } from "../contract/decision.d.ts";
import type { EventType, Guard, Sink } from "../contract/event.d.ts";
import type { Json, JsonObject } from "../contract/json.d.ts";
import type { Kernel, KernelSource } from "../contract/kernel.d.ts";
import type { KernelApi, Plugin, PluginInstance } from "../contract/plugin.d.ts";
import type { Projection, View } from "../contract/projection.d.ts";
import type { Config } from "../contract/ruleset.d.ts";
import type { Subject } from "../contract/subject.d.ts";
import type { Effect, HookName, Vote } from "../contract/verdict.d.ts";
import { combine, refusal, settle, type DecisionContext } from "./decision.ts";
import { BylawError, messageOf } from "./errors.ts";
import { createBallots, failed, type Tapper } from "./hooks.ts";
import { freezeJson, isJsonObject, present } from "./json.ts";
import { emptyView } from "./projection.ts";
import { resolve, unmatched } from "./ruleset.ts";
import { openRun } from "./run.ts";
import { admit, isAdmitted } from "./subject.ts";
import { isEffect, stricter } from "./verdict.ts";

/** What a run asks of its kernel besides the kernel's public face. */
export interface KernelParts {
  readonly kernel: Kernel;
  readonly events: readonly EventType[];
  readonly projections: readonly Projection<unknown>[];
  readonly guards: readonly { readonly name: string; readonly guard: Guard }[];
  readonly sinks: readonly Sink[];
  /** A decision whose question is still open. */
  readonly unsettled: (subject: Subject, view: View) => Decision | Promise<Decision>;
  readonly settle: (decision: Decision, subject: Subject, grant?: Grant) => Decision;
  readonly refuse: (subject: unknown, code: "invalid_call" | "engine_absent", reason: string) => Decision;
}

const eachHook = <T>(make: (hook: HookName) => T): Readonly<Record<HookName, T>> => ({
  beforeToolCall: make("beforeToolCall"),
  onTransition: make("onTransition"),
  onBehavior: make("onBehavior"),
  onEnforcement: make("onEnforcement"),
});

/** Applies the plugins of a configuration and seals them. Throws {@link BylawError} for what is wrong in it. */
export function createKernel(config: Config, { configFile, name }: KernelSource = {}): Kernel {
  const plugins = resolve(config, name ?? configFile?.split(/[\\/]/).at(-1) ?? "config", configFile);
  const {
    fallback: own = "ask_user",
    approval_mode = "ask",
    enforcement_mode = "strict",
    deadline_ms = 10_000,
  } = config;
  const ballots = eachHook((hook) => createBallots(hook, deadline_ms));
  const [events, projections, sinks]: [EventType[], Projection<unknown>[], Sink[]] = [[], [], []];
  const guards: { readonly name: string; readonly guard: Guard }[] = [];
  const preparers: {
    readonly tapper: Tapper;
    readonly tap: string;
    readonly work: Parameters<KernelApi["prepare"]>[1];
  }[] = [];
  const unprepared = new WeakMap<Subject, readonly Vote[]>();
  const editors: ((subject: Subject) => boolean)[] = [];
  const policy: Record<string, string> = {};
  const hard = new Set(plugins.flatMap(({ plugin }) => (plugin.hard ? [plugin.name] : [])));
  const fallbacks: Effect[] = [];
  let sealed = false;

  function apply(
    { name: plugin, grants, codes, definition }: Plugin,
    instances: readonly PluginInstance<unknown>[],
  ): void {
    const tapper: Tapper = {
      plugin,
      from: [...new Set(instances.map(({ from }) => from))].join(", "),
      grants,
      codes,
      stamped: new WeakMap(),
    };
    // A pool drops rules instance by instance; a plugin whose every use stands for itself also drops whole taps.
    const droppable = definition.pooled ? [] : instances.flatMap(({ dropped }) => [...dropped]);
    const met = new Set<string>();
    const open = (what: string, may = true): void => {
      const problem = (wanted: string): string => `Unexpected ${what} of ${plugin}, expected it ${wanted}`;
      if (sealed)
        throw new BylawError({ code: "BYLAW_KERNEL_SEALED", message: problem("before the kernel is sealed") });
      if (!may) throw new BylawError({ code: "BYLAW_PLUGIN_INVALID", message: problem("of a plugin that grants") });
    };
    const admits = (tap: string): boolean => {
      open(`tap ${tap}`);
      met.add(tap);
      return !droppable.includes(tap);
    };
    const declare =
      <T>(what: string, list: T[], may?: boolean) =>
      (item: T): void => {
        open(what, may);
        list.push(item);
      };
    definition.apply(
      {
        hooks: eachHook((hook) => ballots[hook].facade(tapper, admits)) as KernelApi["hooks"],
        event: declare("event type", events),
        projection: declare("projection", projections),
        guard: (guardName, guard) => declare("guard", guards)({ name: `${plugin}/${guardName}`, guard }),
        sink: declare("sink", sinks),
        prepare: (tap, work) => declare("prepare", preparers)({ tapper, tap, work }),
        fallback: (effect) => {
          if (!isEffect(effect))
            throw new BylawError({
              code: "BYLAW_PLUGIN_INVALID",
              message: `Unexpected fallback of ${plugin}, expected an effect`,
            });
          declare("fallback", fallbacks, grants)(effect);
        },
        editsWorkspace: declare("editsWorkspace", editors, grants),
        digest: (sha256) => {
          open("digest");
          policy[plugin] = sha256;
        },
      },
      instances,
    );
    for (const instance of instances.filter(({ dropped }) => dropped.size > 0)) {
      for (const rule of definition.rules(instance)) met.add(rule.name);
      for (const entry of instance.dropped) if (!met.has(entry)) throw unmatched(`${plugin}/${entry}`);
    }
  }

  for (const { plugin, instances } of plugins) {
    policy[plugin.name] = plugin.version;
    for (const group of plugin.definition.pooled ? [instances] : instances.map((instance) => [instance]))
      apply(plugin, group);
  }
  sealed = true;
  const context: DecisionContext = {
    hard,
    policy: Object.freeze(policy),
    enforcement_mode,
    approval_mode,
    fallback: fallbacks.length === 0 ? own : fallbacks.reduce(stricter),
    editsWorkspace: (subject) => editors.some((test) => attempt(() => test(subject)) === true),
  };

  const refuse: KernelParts["refuse"] = (subject, code, reason) => {
    const read = (key: string): unknown => (isJsonObject(subject) ? subject[key] : undefined);
    const [hook, id] = [attempt(() => read("hook")), attempt(() => read("id"))];
    const known = typeof hook === "string" && Object.hasOwn(ballots, hook) ? (hook as HookName) : "beforeToolCall";
    return refusal({ hook: known, ...(typeof id === "string" ? { id } : {}) }, code, reason, context);
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
    let now: { readonly value: T } | undefined;
    let later = (value: T): void => void (now = { value });
    ballots[subject.hook].ask(subject, view, (votes) => {
      const failures = unprepared.get(subject);
      later(finish(combine(subject, failures === undefined ? votes : [...failures, ...votes], context), subject));
    });
    if (now !== undefined) return (now as { readonly value: T }).value;
    return new Promise<T>((done) => {
      later = done;
    });
  }

  const explained = (decision: Decision, subject: Subject, view: View): Explanation => ({
    decision: settle(decision, subject, context),
    taps: (isAdmitted(subject, context) ? ballots[decision.hook].taps : []).map(({ explain, ...tap }) => ({
      ...tap,
      votes: decision.votes.filter(
        (vote) => vote.plugin === tap.plugin && vote.tap === tap.tap && vote.from === tap.from,
      ),
      ...present({ because: explain === undefined ? undefined : attempt(() => explain(subject as never, view)) }),
    })),
  });

  const kernel: Kernel = {
    policy,
    enforcement_mode,
    plugins,
    async prepare(input) {
      const subject = admit(input, context);
      if (preparers.length === 0) return subject;
      const results = await Promise.allSettled(preparers.map(async ({ work }) => factsOf(await work(subject))));
      const facts: Record<string, Json> = {};
      const failures: Vote[] = [];
      for (const [index, { tapper, tap }] of preparers.entries()) {
        const result = results[index];
        if (result?.status === "rejected") failures.push(failed(tapper, tap, result.reason));
        else facts[tapper.plugin] = { ...(facts[tapper.plugin] as object), ...result?.value };
      }
      const { facts: _, ...bare } = subject;
      const prepared = admit(bare, context, facts);
      if (failures.length > 0) unprepared.set(prepared, failures);
      return prepared;
    },
    decide: (input, view = emptyView) => poll(input, view, (decision, subject) => settle(decision, subject, context)),
    explain: (input, view = emptyView) => poll(input, view, (decision, subject) => explained(decision, subject, view)),
    open: (options) =>
      openRun({ kernel, events, projections, guards, sinks, unsettled, settle: settled, refuse }, options),
  };
  const settled: KernelParts["settle"] = (decision, subject, grant) => settle(decision, subject, context, grant);
  const unsettled: KernelParts["unsettled"] = (subject, view) => poll(subject, view, (decision) => decision);
  return Object.freeze(kernel);
}

function factsOf(facts: unknown): JsonObject {
  const copy = facts === undefined ? {} : freezeJson(facts);
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
