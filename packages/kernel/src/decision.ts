import type { Json, JsonObject } from "./json.ts";
import type { Directive, Effect, HookName, Recovery, RuleReference, Vote } from "./verdict.ts";

/** `strict` applies the effect. `permissive` allows the subject and warns. `advisory` allows it and only records. */
export type EnforcementMode = "strict" | "permissive" | "advisory";

/** What was decided, by which plugin, and why. */
export interface Decision {
  readonly id?: string;
  readonly hook: HookName;
  /** The verdict, independent of the enforcement mode. */
  readonly effect: Effect;
  /** The effect that is applied under the enforcement mode. */
  readonly applied: Effect;
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  readonly rule?: RuleReference;
  /** The plugin and tap of the deciding vote. */
  readonly by?: string;
  /** The config or ruleset that brought the deciding plugin. */
  readonly from?: string;
  /** Every vote, including shadow votes and warnings, in the order of {@link compareVotes}. */
  readonly votes: readonly Vote[];
  /** For each plugin, the SHA-256 digest of what it decides by. */
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  readonly directive?: Directive;
  readonly recovery?: Recovery;
  /** The text for the model, if it differs from `reason`. */
  readonly message?: string;
  /** The `instead` of the verdicts that are as strict as the decision, if each has one and all are equal. */
  readonly instead?: JsonObject | undefined;
  /** The sequence number of the approval that answered the question. */
  readonly approval?: number;
}

/** The answer of one tap. */
export interface TapReport {
  readonly plugin: string;
  readonly tap: string;
  readonly from: string;
  readonly votes: readonly Vote[];
  /** The tap's own explanation, rule by rule. */
  readonly because?: Json;
}

/** A decision with the answer of every tap, including abstentions. */
export interface Explanation {
  readonly decision: Decision;
  readonly taps: readonly TapReport[];
}

/** An approval that a person gave for one call. */
export interface Grant {
  readonly sequence: number;
  readonly by: string;
  /** In RFC 3339 format, UTC. */
  readonly expires_at: string;
}

/** The enforcement modes, strictest first. */
export const ENFORCEMENT_MODES: readonly EnforcementMode[] = ["strict", "permissive", "advisory"];
