import { admissionOf, admit } from "./admit.ts";
import { AppliedPlugins } from "./apply-plugins.ts";
import { checkArgument } from "./check-argument.ts";
import { applyGrantAndMode, combine, type DecisionContext } from "./combine.ts";
import type { Decision, EnforcementMode, Explanation, Grant, TapReport } from "./decision.ts";
import type { Declared } from "./declared.ts";
import { messageOf, type BylawError } from "./errors.ts";
import { Faults } from "./faults.ts";
import { tapByVote } from "./hook-runner.ts";
import { freezeJson, isJsonObject, omitUndefined, type Json } from "./json.ts";
import { prepare } from "./preparation.ts";
import { emptyView, type View } from "./projection.ts";
import { resolve } from "./resolve.ts";
import type { Config, ResolvedPlugin } from "./ruleset.ts";
import type { Subject } from "./subject.ts";
import { HOOKS } from "./verdict.ts";

/** A sealed set of plugins that decides about subjects. */
export interface Kernel {
  /** For each plugin, what it decides by: its SHA-256 digest, or else its version. */
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  /** The time limit for an asynchronous tap, a preparation or a required sink, in milliseconds. */
  readonly deadline_ms: number;
  readonly declared: Declared;
  /** The plugins and where each comes from, for tools. */
  readonly plugins: readonly ResolvedPlugin[];
  /**
   * Prepares a subject and decides about it. Never throws: a subject that is not plain data is denied with `invalid_call`. The
   * decision is synchronous if every preparation and tap is, otherwise a promise. `grant` is a person's approval of this exact
   * call.
   */
  decide(subject: Subject, view?: View, grant?: Grant): Decision | Promise<Decision>;
  /**
   * Does the impure work (real paths, claims) and stores its results in the subject as facts. If a plugin fails here, the later
   * decision is a deny. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID.
   */
  prepare(subject: Subject): Promise<Subject>;
  /**
   * Decides about a subject that `prepare` returned. Pure. A subject that was never prepared is decided without facts, so links
   * are not followed.
   */
  decidePrepared(subject: Subject, view?: View, grant?: Grant): Decision | Promise<Decision>;
  /** Decides like {@link Kernel.decide}, and returns the answer of every tap with its reasons. */
  explain(subject: Subject, view?: View): Explanation | Promise<Explanation>;
  /** Returns the denial of a subject that was not admissible or that the engine could not decide about. */
  refuse(
    subject: unknown,
    code: "invalid_call" | "engine_absent" | "run_ended",
    reason: string,
  ): Decision;
}

/** The name of the configuration in votes, and the folder for its relative paths. */
export interface KernelSource {
  /** The absolute path of the config file. */
  readonly configFile?: string;
  /** The name in votes. Default: the last segment of `configFile`, or else `config`. */
  readonly name?: string;
  /** The faults that its loader found. They are thrown together with those of the plugins. */
  readonly faults?: readonly BylawError[];
}

/** Applies the plugins of a configuration and seals them. Throws a {@link BylawError} that lists every mistake in it. */
export function createKernel(config: Config, source: KernelSource = {}): Kernel {
  const what = "the source of a configuration";
  const { configFile, name, faults: earlier } = checkArgument("createKernel", what, source);
  checkArgument("createKernel", "a configuration", config, { code: "BYLAW_CONFIG_INVALID" });
  const root = name ?? configFile?.split(/[\\/]/).at(-1) ?? "config";
  const faults = new Faults(earlier, configFile);
  const plugins = resolve(config, root, faults, configFile);
  const applied = new AppliedPlugins(plugins, config, faults);
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

/** Continues synchronously if nothing must be awaited. */
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
    // An inadmissible subject is passed on, so that it is refused there. It may be a promise, or a proxy that throws.
    return next(input);
  }
  return after(subject, next);
}

/** Asks the taps about a subject. `finish` runs synchronously if every tap is synchronous. */
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

// Runs code that may throw or return anything.
function attempt(work: () => unknown): Json {
  try {
    return freezeJson(work() ?? null);
  } catch (error) {
    return { failed: messageOf(error) };
  }
}
