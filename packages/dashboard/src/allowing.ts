/** A rule that came near to a call, and the first part of it that the call does not fulfil. */
export interface NearRule {
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly effect: string;
  /** The key of the rule that fails, what it needs, and what the call has. `null` if the rule matches. */
  readonly failed: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
}

/** What would have allowed a call. */
export interface Allowing {
  /**
   * Whether the policies at hand are those of the decision. `unknown`: there are none at hand, so no rule can be named, and `why` says it.
   */
  readonly policies: "same" | "other" | "unknown";
  /** The nearest first. */
  readonly nearest: readonly NearRule[];
  /** The smallest rule that would allow the call, as TOML to paste. */
  readonly toml: string | null;
  /** Why there is no such rule. */
  readonly why: string | null;
  /** The phases of the contract that name the tool. `null` without a contract. */
  readonly phases: readonly string[] | null;
}

/** What of a phase says which tools it allows. */
export interface PhaseTools {
  readonly id: string;
  readonly allowedTools: readonly string[];
  readonly forbiddenTools: readonly string[];
}

/** The phases that name a tool and do not forbid it. */
export const phasesWith = (tool: unknown, phases: readonly PhaseTools[]): readonly string[] =>
  phases
    .filter(
      ({ allowedTools, forbiddenTools }) =>
        allowedTools.includes(String(tool)) && !forbiddenTools.includes(String(tool)),
    )
    .map(({ id }) => id);

/** The answer where no policies are at hand. */
export const unknownPolicies = (why: string): Omit<Allowing, "phases"> => ({
  ...{ policies: "unknown", nearest: [], toml: null, why },
});
