import type { Json } from "./json.ts";
import type { Directive, Effect, HookName, Recovery, RuleReference, Vote } from "./verdict.ts";

/** `strict` applies the effect, `permissive` lets the subject through and warns, `advisory` only records. */
export type EnforcementMode = "strict" | "permissive" | "advisory";

/** What was decided, by whom, and why. */
export interface Decision {
  readonly id?: string;
  readonly hook: HookName;
  /** The verdict, in every enforcement mode. */
  readonly effect: Effect;
  /** What happens, under the enforcement mode. */
  readonly applied: Effect;
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  readonly rule?: RuleReference;
  /** Plugin and tap of the deciding vote. */
  readonly by?: string;
  /** The config or ruleset that brought the deciding plugin. */
  readonly from?: string;
  /** Every vote, shadow votes and warnings included, in the order of {@link compareVotes}. */
  readonly votes: readonly Vote[];
  /** SHA-256 digest of what each plugin decided by, by plugin. */
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  readonly directive?: Directive;
  readonly recovery?: Recovery;
  /** For the model, where it differs from `reason`. */
  readonly message?: string;
  /** Sequence of the approval that discharged the question. */
  readonly approval?: number;
}

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

/** A grant that a person gave for one call. */
export interface Grant {
  readonly sequence: number;
  readonly by: string;
  /** RFC 3339, UTC. */
  readonly expires_at: string;
}

/** The enforcement modes, strictest first. */
export const ENFORCEMENT_MODES: readonly EnforcementMode[] = ["strict", "permissive", "advisory"];
