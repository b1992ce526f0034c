import type { JsonObject } from "./json.ts";

/** What may happen to a subject. Strictness: `allow` < `ask_user` < `deny`. */
export type Effect = "allow" | "ask_user" | "deny";

/** The four questions that Bylaw asks. */
export type HookName = "beforeToolCall" | "onTransition" | "onBehavior" | "onEnforcement";

/** What an agent's request to steer a workflow may come to, strictest last. */
export const DIRECTIVES = ["continue", "loop", "trigger", "vibecheck", "checkpoint", "stop"] as const;
export type DirectiveAction = (typeof DIRECTIVES)[number];
export interface Directive extends JsonObject {
  readonly action: DirectiveAction;
}

/** How a response that does not comply is recovered, strictest last. */
export const RECOVERIES = ["inline", "restart", "end"] as const;
export type Recovery = (typeof RECOVERIES)[number];

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

type Details = Omit<Verdict, "effect" | "reason" | "fix">;

/** Lets the subject pass. Counts only from a plugin that declares `grants`. */
export const allow = (reason: string, details: Details = {}): Verdict => ({ ...details, effect: "allow", reason });

/** Leaves the subject to a person. */
export const ask = (reason: string, fix?: string, details: Details = {}): Verdict => ({
  ...details,
  effect: "ask_user",
  reason,
  ...(fix === undefined ? {} : { fix }),
});

/** Stops the subject. */
export const deny = (reason: string, fix?: string, details: Details = {}): Verdict => ({
  ...details,
  effect: "deny",
  reason,
  ...(fix === undefined ? {} : { fix }),
});

const RANK: Readonly<Record<Effect, number>> = { allow: 0, ask_user: 1, deny: 2 };

/** The stricter of two effects. */
export function stricter(left: Effect, right: Effect): Effect {
  return RANK[left] >= RANK[right] ? left : right;
}

/** Tells an effect from any other value. */
export function isEffect(value: unknown): value is Effect {
  return typeof value === "string" && Object.hasOwn(RANK, value);
}

/** The codes a decision may have besides those that plugins declare; closed and versioned. */
export const DECISION_CODES = [
  "rule_allowed",
  "rule_asked",
  "rule_denied",
  "fallback",
  "mode_allowed",
  "approved",
  "approval_unavailable",
  "approval_expired",
  "unknown_command",
  "invalid_call",
  "check_failed",
  "engine_absent",
] as const;

/** The codes of {@link DECISION_CODES} that any plugin's verdict may carry. */
export const VERDICT_CODES: ReadonlySet<string> = new Set([
  "rule_allowed",
  "rule_asked",
  "rule_denied",
  "unknown_command",
  "invalid_call",
]);

export const CODE_OF_EFFECT: Readonly<Record<Effect, string>> = {
  allow: "rule_allowed",
  ask_user: "rule_asked",
  deny: "rule_denied",
};

/** Whether a vote takes part in the decision: a rule in shadow and a warning are only recorded. */
export function counts(vote: Verdict): boolean {
  return vote.shadow !== true && vote.severity !== "warning";
}

/** The total order that makes the deciding vote independent of the order of plugins, taps and rules. */
export function compareVotes(left: Vote, right: Vote): number {
  return (
    compare(left.plugin, right.plugin) ||
    compare(left.tap, right.tap) ||
    compare(left.rule?.name ?? "", right.rule?.name ?? "") ||
    compare(left.rule?.file ?? "", right.rule?.file ?? "") ||
    (left.rule?.line ?? 0) - (right.rule?.line ?? 0) ||
    compare(left.code, right.code) ||
    compare(left.reason, right.reason) ||
    compare(left.from, right.from) ||
    compare(JSON.stringify(left), JSON.stringify(right))
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
