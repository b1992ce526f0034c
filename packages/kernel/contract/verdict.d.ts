import type { JsonObject } from "./json.d.ts";

/** What may happen to a subject. Strictness: `allow` < `ask_user` < `deny`. */
export type Effect = "allow" | "ask_user" | "deny";

/** The four questions that Bylaw asks. */
export type HookName = "beforeToolCall" | "onTransition" | "onBehavior" | "onEnforcement";

/** What an agent's request to steer a workflow may come to, strictest last. */
export type DirectiveAction = "continue" | "loop" | "trigger" | "vibecheck" | "checkpoint" | "stop";
export interface Directive extends JsonObject {
  readonly action: DirectiveAction;
}

/** How a response that does not comply is recovered, strictest last. */
export type Recovery = "inline" | "restart" | "end";

/** The rule behind a verdict, and where it is written. Lines count from 1. */
export interface RuleReference {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

/** One answer of a tap. */
export interface Verdict {
  readonly effect: Effect;
  /** "Unexpected <actual>, expected <wanted>", read by a person and by a model. */
  readonly reason: string;
  /** What to do instead. */
  readonly fix?: string;
  /** A decision code of the kernel, or one that the plugin declares. Left out: `rule_allowed`, `rule_asked` or `rule_denied`. */
  readonly code?: string;
  readonly rule?: RuleReference;
  /** `true`: recorded, never counted (a rule on trial). */
  readonly shadow?: boolean;
  /** onTransition: a `warning` is recorded and never blocks. */
  readonly severity?: "blocking" | "warning";
  /** onBehavior. */
  readonly directive?: Directive;
  /** onEnforcement. */
  readonly recovery?: Recovery;
  /** onEnforcement: the text for the model, where it differs from `reason`. */
  readonly message?: string;
}

/** What the builders of a verdict take besides its effect, reason and fix. */
export type VerdictDetails = Omit<Verdict, "effect" | "reason" | "fix">;

/** What a tap may answer: a verdict, several (one per rule), or nothing to abstain. */
export type Answer = Verdict | readonly Verdict[] | undefined;

/** A verdict with who gave it, stamped by the kernel so that no plugin can forget or forge it. */
export interface Vote extends Verdict {
  readonly plugin: string;
  readonly tap: string;
  /** The config or ruleset that brought the plugin: `bylaw.config.ts > @bylaw/ruleset-recommended`. */
  readonly from: string;
  readonly code: string;
  /** Why a failed check failed. */
  readonly error?: string;
}
