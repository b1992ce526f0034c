import type { JsonObject } from "./json.ts";

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
  /** One plain sentence, for a person and a model. */
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

/** What an agent's request to steer a workflow may come to, strictest last. */
export const DIRECTIVES: readonly DirectiveAction[] = [
  "continue",
  "loop",
  "trigger",
  "vibecheck",
  "checkpoint",
  "stop",
];

/** How a response that does not comply is recovered, strictest last. */
export const RECOVERIES: readonly Recovery[] = ["inline", "restart", "end"];

/** Lets the subject pass. Counts only from a plugin that declares `grants`. */
export const allow = (reason: string, details: VerdictDetails = {}): Verdict => ({
  ...details,
  effect: "allow",
  reason,
});

const stop =
  (effect: Effect) =>
  (reason: string, fix?: string, details: VerdictDetails = {}): Verdict =>
    fix === undefined ? { ...details, effect, reason } : { ...details, effect, reason, fix };

/** Leaves the subject to a person. */
export const ask = stop("ask_user");

/** Stops the subject. */
export const deny = stop("deny");

/** How strict each effect is. */
export const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask_user: 1, deny: 2 };

/** Whether one effect is stricter than another. */
export const isStricter = (left: Effect, right: Effect): boolean =>
  STRICTNESS[left] > STRICTNESS[right];

/** The stricter of two effects. */
export const stricter = (left: Effect, right: Effect): Effect =>
  isStricter(left, right) ? left : right;

/** Tells an effect from any other value. */
export const isEffect = (value: unknown): value is Effect =>
  typeof value === "string" && Object.hasOwn(STRICTNESS, value);

/** The codes that any verdict may carry; a verdict without one has the first that fits its effect. */
export const VERDICT_CODES = [
  "rule_allowed",
  "rule_asked",
  "rule_denied",
  "unknown_command",
  "invalid_call",
] as const;
export const CODE_OF_EFFECT = {
  allow: "rule_allowed",
  ask_user: "rule_asked",
  deny: "rule_denied",
} as const;

/** The codes a decision may have besides those that plugins declare; closed and versioned. */
export const DECISION_CODES = [
  ...VERDICT_CODES,
  ...([
    "fallback",
    "mode_allowed",
    "approved",
    "approval_unavailable",
    "approval_expired",
  ] as const),
  ...(["check_failed", "engine_absent", "run_ended"] as const),
] as const;

/** Whether a vote takes part in the decision: a rule in shadow and a warning are only recorded. */
export const counts = ({ shadow, severity }: Verdict): boolean =>
  shadow !== true && severity !== "warning";

/** The total order (plugin, tap, rule, …) that makes the deciding vote independent of any order of registration. */
export function compareVotes(left: Vote, right: Vote): number {
  // Most votes differ in this, and the rest takes longer than to decide.
  if (left.plugin !== right.plugin) return left.plugin < right.plugin ? -1 : 1;
  const [a, b] = [keyOf(left), keyOf(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

// U+0000 is below every character of a name, so comparing the joined text compares part by part.
const keyOf = ({ plugin, tap, rule, code, reason, from, ...rest }: Vote): string =>
  [
    plugin,
    tap,
    rule?.name,
    rule?.file,
    String(rule?.line ?? 0).padStart(9, "0"),
    code,
    reason,
    from,
    JSON.stringify(rest),
  ].join("\0");
