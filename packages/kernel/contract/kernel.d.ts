import type { Decision, EnforcementMode, Explanation } from "./decision.d.ts";
import type { View } from "./projection.d.ts";
import type { ResolvedPlugin } from "./ruleset.d.ts";
import type { OpenOptions, Run } from "./run.d.ts";
import type { Subject } from "./subject.d.ts";

/** A sealed set of plugins that answers questions. */
export interface Kernel {
  /** What each plugin decides by: SHA-256 where it says so, else its version. */
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  /** The plugins, where each comes from, for tools. */
  readonly plugins: readonly ResolvedPlugin[];
  /** Does what is not pure (real paths, claims), and stamps it on the subject. Never throws for what a plugin does. */
  prepare(subject: Subject): Promise<Subject>;
  /**
   * Decides. Pure, and never throws: a subject that is not plain data is denied with `invalid_call`. The decision comes at
   * once when every tap is synchronous, else as a promise; `await` takes both.
   */
  decide(subject: Subject, view?: View): Decision | Promise<Decision>;
  /** The same decision, with every tap's answer and its reasons. */
  explain(subject: Subject, view?: View): Explanation | Promise<Explanation>;
  /** Opens one log, and records from then on. */
  open(options: OpenOptions): Promise<Run>;
}

/** Names the configuration in votes, and its folder for relative paths. */
export interface KernelSource {
  /** Absolute path of the config file. */
  readonly configFile?: string;
  /** Default: the last part of `configFile`, else `config`. */
  readonly name?: string;
}
