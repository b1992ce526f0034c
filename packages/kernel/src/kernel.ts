import { admissionOf, admit } from "./admit.ts";
import { AppliedPlugins } from "./apply-plugins.ts";
import { checkArgument } from "./check-argument.ts";
import { applyGrantAndMode, combine, type DecisionContext } from "./combine.ts";
import type { Decision, EnforcementMode, Explanation, Grant, TapReport } from "./decision.ts";
import type { Declared } from "./declared.ts";
import { messageOf } from "./errors.ts";
import { tapByVote } from "./hook-runner.ts";
import { freezeJson, isJsonObject, omitUndefined, type Json } from "./json.ts";
import { prepare } from "./preparation.ts";
import { emptyView, type View } from "./projection.ts";
import { resolve } from "./resolve.ts";
import type { Config, ResolvedPlugin } from "./ruleset.ts";
import type { Subject } from "./subject.ts";
import { HOOKS } from "./verdict.ts";

/** A sealed set of plugins that answers questions. */
export interface Kernel {
  /** What each plugin decides by: SHA-256 where it says so, else its version. */
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  /** Milliseconds that an asynchronous tap, a preparation or a required sink may take. */
  readonly deadline_ms: number;
  readonly declared: Declared;
  /** The plugins, where each comes from, for tools. */
  readonly plugins: readonly ResolvedPlugin[];
  /**
   * Prepares a subject and decides. Never throws: a subject that is not plain data is denied with `invalid_call`. The decision
   * comes at once when every preparation and tap is synchronous, else as a promise. `grant` is a person's yes to this very call.
   */
  decide(subject: Subject, view?: View, grant?: Grant): Decision | Promise<Decision>;
  /**
   * Does what is not pure (real paths, claims), and puts it on the subject as facts. A plugin that fails here denies in the
   * decision. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID.
   */
  prepare(subject: Subject): Promise<Subject>;
  /** Decides what `prepare` returned. Pure: a subject that was never prepared is decided without facts, so links are not followed. */
  decidePrepared(subject: Subject, view?: View, grant?: Grant): Decision | Promise<Decision>;
  /** Decides as {@link Kernel.decide} does, with every tap's answer and its reasons. */
  explain(subject: Subject, view?: View): Explanation | Promise<Explanation>;
  /** The deny of a subject that was not admissible, or that the engine could not decide. */
  refuse(
    subject: unknown,
    code: "invalid_call" | "engine_absent" | "run_ended",
    reason: string,
  ): Decision;
}

/** Names the configuration in votes, and its folder for relative paths. */
export interface KernelSource {
  /** Absolute path of the config file. */
  readonly configFile?: string;
  /** Default: the last part of `configFile`, else `config`. */
  readonly name?: string;
}

/** Applies the plugins of a configuration and seals them. Throws {@link BylawError} for what is wrong in it. */
export function createKernel(config: Config, source: KernelSource = {}): Kernel {
  const what = "the source of a configuration";
  const { configFile, name } = checkArgument("createKernel", what, source);
  checkArgument("createKernel", "a configuration", config, { code: "BYLAW_CONFIG_INVALID" });
  const root = name ?? configFile?.split(/[\\/]/).at(-1) ?? "config";
  const plugins = resolve(config, root, configFile);
  const applied = new AppliedPlugins(plugins, config);
  const { context, declared, deadline_ms } = applied;
  const { policy, enforcement_mode } = context;
  const decidePrepared: Kernel["decidePrepared"] = (input, view, grant) =>
    poll(applied, input, view, (decision, subject) =>
      applyGrantAndMode(decision, subject, context, grant),
    );
  const explainPrepared: Kernel["explain"] = (input, view = emptyView) =>
    poll(applied, input, view, (decision, subject) => ({
      decision: applyGrantAndMode(decision, subject, context),
      taps: reportTaps(applied, decision, subject, view),
    }));
  return Object.freeze({
    policy,
    enforcement_mode,
    deadline_ms,
    declared,
    plugins,
    decidePrepared,
    prepare: async (subject) => prepare(subject, applied),
    decide: (input, view, grant) =>
      withPrepared(applied, input, (subject) => decidePrepared(subject, view, grant)),
    explain: (input, view) =>
      withPrepared(applied, input, (subject) => explainPrepared(subject, view)),
    refuse: (subject, code, reason) => refuse(subject, code, reason, context),
  } satisfies Kernel);
}

/** Goes on at once where nothing has to be awaited. */
const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

function withPrepared<T>(
  applied: AppliedPlugins,
  input: Subject,
  next: (subject: Subject) => T | Promise<T>,
): T | Promise<T> {
  let subject: Subject | Promise<Subject>;
  try {
    subject = prepare(input, applied);
  } catch {
    // What cannot be admitted goes on as it is, to be refused. It may be a promise, or a proxy that throws.
    return next(input);
  }
  return after(subject, next);
}

/** Asks the taps of a subject. `finish` runs at once when every tap is synchronous. */
function poll<T>(
  { context, hooks }: AppliedPlugins,
  input: Subject,
  view: View = emptyView,
  finish: (decision: Decision, subject: Subject) => T,
): T | Promise<T> {
  const admission = admissionOf(input, context);
  let subject: Subject;
  try {
    subject = admission === undefined ? admit(input, context) : input;
  } catch (error) {
    const refused = refuse(input, "invalid_call", messageOf(error), context);
    return finish(refused, { hook: refused.hook } as Subject);
  }
  const failures = admission?.failures;
  return after(hooks[subject.hook].ask(subject, view), (votes) =>
    finish(combine(subject, failures ? [...failures, ...votes] : votes, context), subject),
  );
}

function reportTaps(
  { context, hooks }: AppliedPlugins,
  { hook, votes }: Decision,
  subject: Subject,
  view: View,
): readonly TapReport[] {
  if (admissionOf(subject, context) === undefined) return [];
  return hooks[hook].taps.map((info) => {
    const { explain, ...tap } = info;
    const own = votes.filter((vote) => tapByVote.get(vote) === info);
    const because = explain && attempt(() => explain(subject as never, view));
    return { ...tap, votes: own, ...omitUndefined({ because }) };
  });
}

function refuse(
  subject: unknown,
  code: string,
  reason: string,
  { policy, enforcement_mode }: DecisionContext,
): Decision {
  const [given, id] = ["hook", "id"].map((key) =>
    attempt(() => (isJsonObject(subject) ? subject[key] : undefined)),
  );
  const decision = {
    hook: HOOKS.find((name) => name === given) ?? "beforeToolCall",
    ...({ effect: "deny", applied: "deny" } as const),
    ...{ code, reason, votes: [], policy, enforcement_mode },
  };
  return typeof id === "string" ? { id, ...decision } : decision;
}

// Asks code that may throw or answer anything.
function attempt(work: () => unknown): Json {
  try {
    return freezeJson(work() ?? null);
  } catch (error) {
    return { failed: messageOf(error) };
  }
}
