import {
  applied,
  combine,
  refusal,
  settle,
  type CombineContext,
  type Decision,
  type EnforcementMode,
} from "./decision.ts";
import { BylawError, messageOf } from "./errors.ts";
import type { EventType, Guard, Sink } from "./event.ts";
import { createBallots, failed, type Ballots, type Tapper } from "./hooks.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { KernelApi, Plugin } from "./plugin.ts";
import { emptyView, type Projection, type View } from "./projection.ts";
import { resolve, type Config, type ResolvedPlugin } from "./ruleset.ts";
import { openRun, type OpenOptions, type Run } from "./run.ts";
import { admit, isAdmitted, type Subject, type SubjectOf } from "./subject.ts";
import { stricter, type Effect, type HookName, type Vote } from "./verdict.ts";

/** How one tap answered. */
export interface TapReport {
  readonly plugin: string;
  readonly tap: string;
  readonly from: string;
  readonly votes: readonly Vote[];
  /** Rule by rule, why; what the tap itself says. */
  readonly because?: Json;
}

/** A decision with every tap's answer, abstentions included. */
export interface Explanation {
  readonly decision: Decision;
  readonly taps: readonly TapReport[];
}

/** A sealed set of plugins that answers questions. */
export interface Kernel {
  /** What each plugin decides by: SHA-256 where it says so, else its version. */
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  /** The plugins, where each comes from, for tools. */
  readonly plugins: readonly ResolvedPlugin[];
  /** Does what is not pure (real paths, claims), and stamps it on the subject. Never throws for what a plugin does. */
  prepare(subject: Subject): Subject | Promise<Subject>;
  /**
   * Decides. Pure, and never throws: a subject that is not plain data is denied with `invalid_call`. The decision comes at
   * once when every tap is synchronous, else as a promise; `await` takes both.
   */
  decide(subject: Subject, view?: View): Decision | Promise<Decision>;
  /** The same decision, with every tap's answer and its reasons. */
  explain(subject: Subject, view?: View): Explanation | Promise<Explanation>;
  /** What happens when a decision is enforced. */
  applied(decision: Decision): Effect;
  /** Opens one log, and records from then on. */
  open(options: OpenOptions): Promise<Run>;
}

/** The parts of a kernel that a run needs, and nobody else. */
export interface KernelParts {
  readonly kernel: Kernel;
  readonly events: ReadonlyMap<string, EventType>;
  readonly projections: readonly Projection<unknown>[];
  readonly guards: readonly { readonly name: string; readonly guard: Guard }[];
  readonly sinks: readonly Sink[];
  readonly unsettled: (subject: Subject, view: View) => Decision | Promise<Decision>;
  readonly refuse: (
    subject: { hook: HookName; id?: string | undefined },
    code: "invalid_call" | "engine_absent",
    reason: string,
  ) => Decision;
}

/** Names the configuration in votes, and its folder for relative paths. */
export interface KernelSource {
  /** Absolute path of the config file. */
  readonly configFile?: string;
  /** Default: the last part of `configFile`, else `config`. */
  readonly name?: string;
}

/** Applies the plugins of a configuration and seals them. Throws {@link BylawError} for what is wrong in it. */
export function createKernel(config: Config, { configFile, name }: KernelSource = {}): Kernel {
  const root = name ?? configFile?.split(/[\\/]/).at(-1) ?? "config";
  const resolved = resolve(config, root, configFile);
  const enforcement_mode = config.enforcement_mode ?? "strict";
  const deadline_ms = config.deadline_ms ?? 10_000;
  const ballots: { readonly [H in HookName]: Ballots<H> } = {
    beforeToolCall: createBallots("beforeToolCall", deadline_ms),
    onTransition: createBallots("onTransition", deadline_ms),
    onBehavior: createBallots("onBehavior", deadline_ms),
    onEnforcement: createBallots("onEnforcement", deadline_ms),
  };
  const events = new Map<string, EventType>();
  const projections = new Set<Projection<unknown>>();
  const guards: { name: string; guard: Guard }[] = [];
  const sinks: Sink[] = [];
  const preparers: { plugin: string; from: string; name: string; prepare: Parameters<KernelApi["prepare"]>[1] }[] = [];
  const editors: ((subject: Subject) => boolean)[] = [];
  const policy: Record<string, string> = {};
  const hard = new Set<string>();
  let fallback: Effect | undefined;
  let sealed = false;

  const apiFor = (plugin: Plugin, from: string, dropped: ReadonlySet<string>): KernelApi => {
    const tapper: Tapper = { plugin: plugin.name, from, grants: plugin.grants, codes: plugin.codes, dropped };
    const open = (what: string): void => {
      if (!sealed) return;
      throw new BylawError({
        code: "BYLAW_KERNEL_SEALED",
        message: `Unexpected ${what} of ${plugin.name} after the kernel was sealed, expected it in \`apply\``,
      });
    };
    const granted = (what: string): void => {
      open(what);
      if (plugin.grants) return;
      throw new BylawError({
        code: "BYLAW_PLUGIN_INVALID",
        message: `Unexpected ${what} of ${plugin.name}, expected it only of a plugin that grants`,
      });
    };
    return {
      hooks: {
        beforeToolCall: ballots.beforeToolCall.facade(tapper, open),
        onTransition: ballots.onTransition.facade(tapper, open),
        onBehavior: ballots.onBehavior.facade(tapper, open),
        onEnforcement: ballots.onEnforcement.facade(tapper, open),
      },
      event(type) {
        open(`event type ${type.name}`);
        const other = events.get(type.name);
        if (other !== undefined && other !== type) {
          throw new BylawError({
            code: "BYLAW_PLUGIN_INVALID",
            message: `Unexpected second event type \`${type.name}\`, expected one declaration`,
          });
        }
        events.set(type.name, type);
      },
      projection: (projection) => (open(`projection ${projection.name}`), void projections.add(projection)),
      guard: (name, guard) => (open(`guard ${name}`), void guards.push({ name, guard })),
      sink: (sink) => (open(`sink ${sink.name}`), void sinks.push(sink)),
      prepare: (name, prepare) => (
        open(`prepare ${name}`),
        void preparers.push({ plugin: plugin.name, from, name, prepare })
      ),
      fallback(effect) {
        granted("fallback");
        fallback = fallback === undefined ? effect : stricter(fallback, effect);
      },
      editsWorkspace: (test) => (granted("editsWorkspace"), void editors.push(test)),
      digest: (sha256) => (open("digest"), void (policy[plugin.name] = sha256)),
    };
  };

  for (const { plugin, instances } of resolved) {
    policy[plugin.name] = plugin.version;
    if (plugin.hard) hard.add(plugin.name);
    const groups = plugin.definition.pooled ? [instances] : instances.map((instance) => [instance]);
    for (const group of groups) {
      const from = [...new Set(group.map((instance) => instance.from))].join(", ");
      // A pooled plugin drops its own rules, instance by instance; a tap of its own name cannot be dropped.
      const dropped = plugin.definition.pooled ? new Set<string>() : (group[0]?.dropped ?? new Set<string>());
      plugin.definition.apply(apiFor(plugin, from, dropped), group);
    }
  }
  sealed = true;
  Object.freeze(policy);

  const context: CombineContext = {
    policy,
    enforcement_mode,
    fallback: fallback ?? config.fallback ?? "ask_user",
    approval_mode: config.approval_mode ?? "ask",
    editsWorkspace: (subject) => editors.some((test) => test(subject)),
  };
  const refuse: KernelParts["refuse"] = (subject, code, reason) => refusal(subject, code, reason, context);

  // `finish` runs synchronously when every tap is synchronous; then its result is returned as it is.
  function poll<T>(
    input: Subject,
    view: View,
    finish: (subject: Subject, votes: Vote[]) => T,
    bad: (decision: Decision) => T,
  ): T | Promise<T> {
    let subject: Subject;
    try {
      subject = isAdmitted(input) ? input : admit(input);
    } catch (error) {
      return bad(refuse(isJsonObject(input) ? input : { hook: "beforeToolCall" }, "invalid_call", messageOf(error)));
    }
    let now: { readonly value: T } | undefined;
    let later: ((value: T) => void) | undefined;
    ballot(subject).ask(subject, view, (votes) => {
      const value = finish(subject, [...unprepared(subject), ...votes]);
      if (later === undefined) now = { value };
      else later(value);
    });
    if (now !== undefined) return (now as { readonly value: T }).value;
    return new Promise<T>((resolved) => {
      later = resolved;
    });
  }

  const ballot = (subject: Subject): Ballots<HookName> => ballots[subject.hook] as Ballots<HookName>;

  // A preparation that failed left its mark among the facts; the plugin that needed it denies.
  function unprepared({ facts }: Subject): readonly Vote[] {
    const failures = facts?.[FAILED];
    if (!Array.isArray(failures)) return [];
    return (failures as readonly JsonObject[]).map(({ plugin, from, name, error }) =>
      failed({ plugin: String(plugin), from: String(from) }, String(name), new Error(String(error))),
    );
  }

  const unsettled: KernelParts["unsettled"] = (subject, view) =>
    poll(
      subject,
      view,
      (admitted, votes) => combine(admitted, votes, context),
      (decision) => decision,
    );

  const kernel: Kernel = {
    policy,
    enforcement_mode,
    plugins: resolved,
    prepare(input) {
      const subject = admit(input);
      if (preparers.length === 0) return subject;
      const results = preparers.map(({ prepare }) => attempt(() => prepare(subject)));
      const stamp = (settled: readonly Prepared[]): Subject => admit({ ...strip(subject) }, factsOf(settled));
      const factsOf = (settled: readonly Prepared[]): JsonObject => {
        const facts: Record<string, Json> = {};
        const failures: Json[] = [];
        for (const [index, result] of settled.entries()) {
          const { plugin = "", from = "", name = "" } = preparers[index] ?? {};
          if ("error" in result) failures.push({ plugin, from, name, error: result.error });
          else if (result.value !== undefined) facts[plugin] = result.value;
        }
        return failures.length === 0 ? facts : { ...facts, [FAILED]: failures };
      };
      if (results.some((result) => result instanceof Promise)) return Promise.all(results).then(stamp);
      return stamp(results as readonly Prepared[]);
    },
    decide: (input, view = emptyView) =>
      poll(
        input,
        view,
        (subject, votes) => settle(combine(subject, votes, context), subject),
        (decision) => decision,
      ),
    explain: (input, view = emptyView) =>
      poll<Explanation>(
        input,
        view,
        (subject, votes) => ({
          decision: settle(combine(subject, votes, context), subject),
          taps: ballot(subject).taps.map(({ plugin, tap, from, explain }) => ({
            plugin,
            tap,
            from,
            votes: votes.filter((vote) => vote.plugin === plugin && vote.tap === tap && vote.from === from),
            ...(explain === undefined
              ? {}
              : { because: because(explain as (subject: Subject, view: View) => Json, subject, view) }),
          })),
        }),
        (decision) => ({ decision, taps: [] }),
      ),
    applied: (decision) => applied(decision, hard),
    open: (options) =>
      openRun({ kernel, events, projections: [...projections], guards, sinks, unsettled, refuse }, options),
  };
  return Object.freeze(kernel);
}

// No plugin can be named so.
const FAILED = "failed preparations";

type Prepared = { readonly value: JsonObject | undefined } | { readonly error: string };

function attempt(work: () => JsonObject | undefined | Promise<JsonObject | undefined>): Prepared | Promise<Prepared> {
  const error = (thrown: unknown): Prepared => ({ error: messageOf(thrown) });
  try {
    const value = work();
    return value instanceof Promise ? value.then((settled) => ({ value: settled }), error) : { value };
  } catch (thrown) {
    return error(thrown);
  }
}

function strip({ facts: _, ...subject }: Subject): Subject {
  return subject as SubjectOf<HookName>;
}

function because(explain: (subject: Subject, view: View) => Json, subject: Subject, view: View): Json {
  try {
    return explain(subject, view);
  } catch (error) {
    return `no explanation: ${messageOf(error)}`;
  }
}
