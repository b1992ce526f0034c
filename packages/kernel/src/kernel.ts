import { admit, isAdmitted } from "./admit.ts";
import { AppliedPlugins, HOOKS } from "./apply-plugins.ts";
import { checkArgument } from "./check-argument.ts";
import { applyGrantAndMode, combine } from "./combine.ts";
import type { Decision, EnforcementMode, Explanation, Grant } from "./decision.ts";
import type { Declared } from "./declared.ts";
import { messageOf } from "./errors.ts";
import { tapByVote } from "./hook-runner.ts";
import { freezeJson, isJsonObject, omitUndefined, type Json } from "./json.ts";
import { Preparation } from "./preparation.ts";
import { emptyView, type View } from "./projection.ts";
import { resolve } from "./resolve.ts";
import type { Config, ResolvedPlugin } from "./ruleset.ts";
import type { Subject } from "./subject.ts";
import type { Vote } from "./verdict.ts";

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
  const { configFile, name } = checkArgument(
    "createKernel",
    "the source of a configuration",
    source,
  );
  checkArgument("createKernel", "a configuration", config, { code: "BYLAW_CONFIG_INVALID" });
  const root = name ?? configFile?.split(/[\\/]/).at(-1) ?? "config";
  const plugins = resolve(config, root, configFile);
  const judge = new Judge(plugins, config);
  const { policy, enforcement_mode } = judge.applied.context;
  return Object.freeze({
    policy,
    enforcement_mode,
    deadline_ms: judge.deadline_ms,
    declared: judge.applied.declared,
    plugins,
    prepare: async (subject) => judge.prepare(subject),
    decide: (subject, view, grant) =>
      judge.prepared(subject, (prepared) => judge.decide(prepared, view, grant)),
    decidePrepared: (subject, view, grant) => judge.decide(subject, view, grant),
    explain: (subject, view) =>
      judge.prepared(subject, (prepared) => judge.explain(prepared, view)),
    refuse: (subject, code, reason) => judge.refuse(subject, code, reason),
  } satisfies Kernel);
}

/** The applied plugins of a kernel at work. */
class Judge {
  readonly deadline_ms: number;
  readonly applied: AppliedPlugins;
  readonly #preparation: Preparation;

  constructor(plugins: readonly ResolvedPlugin[], config: Config) {
    this.deadline_ms = config.deadline_ms ?? 10_000;
    this.applied = new AppliedPlugins(plugins, config);
    this.#preparation = new Preparation(this.applied, this.deadline_ms);
  }

  prepare(subject: Subject): Subject | Promise<Subject> {
    return this.#preparation.prepare(subject);
  }

  /** Goes on with the prepared subject, at once where nothing has to be awaited. What cannot be admitted goes on as it is. */
  prepared<T>(subject: Subject, then: (prepared: Subject) => T | Promise<T>): T | Promise<T> {
    let prepared: Subject | Promise<Subject>;
    try {
      prepared = this.prepare(subject);
    } catch {
      return then(subject);
    }
    return prepared instanceof Promise ? prepared.then(then) : then(prepared);
  }

  decide(input: Subject, view?: View, grant?: Grant): Decision | Promise<Decision> {
    return this.#poll(input, view, (decision, subject) =>
      applyGrantAndMode(decision, subject, this.applied.context, grant),
    );
  }

  explain(input: Subject, view: View = emptyView): Explanation | Promise<Explanation> {
    const { context, hooks } = this.applied;
    return this.#poll(input, view, (decision, subject) => {
      const taps = isAdmitted(subject, context) ? hooks[decision.hook].taps : [];
      return {
        decision: applyGrantAndMode(decision, subject, context),
        taps: taps.map((info) => {
          const { explain, hook: _, ...tap } = info;
          const votes = decision.votes.filter((vote) => tapByVote.get(vote) === info);
          const because = explain && attempt(() => explain(subject as never, view));
          return { ...tap, votes, ...omitUndefined({ because }) };
        }),
      };
    });
  }

  refuse(subject: unknown, code: string, reason: string): Decision {
    const { policy, enforcement_mode } = this.applied.context;
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

  // `finish` runs at once when every tap is synchronous.
  #poll<T>(
    input: Subject,
    view: View = emptyView,
    finish: (decision: Decision, subject: Subject) => T,
  ): T | Promise<T> {
    const { context, hooks } = this.applied;
    let subject: Subject;
    try {
      subject = isAdmitted(input, context) ? input : admit(input, context);
    } catch (error) {
      const refused = this.refuse(input, "invalid_call", messageOf(error));
      return finish(refused, { hook: refused.hook } as Subject);
    }
    const failures = this.#preparation.failuresOf(subject);
    const count = (votes: readonly Vote[]): T =>
      finish(
        combine(subject, failures === undefined ? votes : [...failures, ...votes], context),
        subject,
      );
    const votes = hooks[subject.hook].ask(subject, view);
    return votes instanceof Promise ? votes.then(count) : count(votes);
  }
}

// Asks code that may throw or answer anything.
function attempt(work: () => unknown): Json {
  try {
    return freezeJson(work() ?? null);
  } catch (error) {
    return { failed: messageOf(error) };
  }
}
