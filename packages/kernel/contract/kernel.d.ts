import type { Decision, EnforcementMode, Explanation, Grant } from "./decision.d.ts";
import type { EventType, Guard, Redactor, Sink } from "./event.d.ts";
import type { Projection, View } from "./projection.d.ts";
import type { ResolvedPlugin } from "./ruleset.d.ts";
import type { Subject } from "./subject.d.ts";

/** What plugins declare besides taps, for whoever keeps the log. */
export interface Declared {
  /** The names of the plugins themselves, each once. */
  readonly plugins: readonly string[];
  readonly events: readonly EventType[];
  readonly projections: readonly Projection<unknown>[];
  readonly guards: readonly { readonly name: string; readonly guard: Guard }[];
  readonly sinks: readonly Sink[];
  readonly redactors: readonly Redactor[];
}

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
  /** Does what is not pure (real paths, claims), and stamps it on the subject. Never throws for what a plugin does. */
  prepare(subject: Subject): Promise<Subject>;
  /**
   * Decides. Pure, and never throws: a subject that is not plain data is denied with `invalid_call`. The decision comes at
   * once when every tap is synchronous, else as a promise; `await` takes both. `grant` is a person's yes to this very call.
   */
  decide(subject: Subject, view?: View, grant?: Grant): Decision | Promise<Decision>;
  /** The same decision, with every tap's answer and its reasons. */
  explain(subject: Subject, view?: View): Explanation | Promise<Explanation>;
  /** The deny of a subject that was not admissible, or that the engine could not do its work for. */
  refuse(subject: unknown, code: "invalid_call" | "engine_absent", reason: string): Decision;
}

/** Names the configuration in votes, and its folder for relative paths. */
export interface KernelSource {
  /** Absolute path of the config file. */
  readonly configFile?: string;
  /** Default: the last part of `configFile`, else `config`. */
  readonly name?: string;
}
