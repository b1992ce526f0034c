import { isJsonObject, type JsonObject } from "./json.ts";

/** How strict each effect is. */
export const STRICTNESS = { allow: 0, ask_user: 1, deny: 2 } as const;
/** What may happen to a subject. Strictness: `allow` < `ask_user` < `deny`. */
export type Effect = keyof typeof STRICTNESS;

/** The four questions that Bylaw asks. */
export const HOOKS = ["beforeToolCall", "onTransition", "onBehavior", "onEnforcement"] as const;
export type HookName = (typeof HOOKS)[number];

/** What an agent's request to steer a workflow may come to, strictest last. */
export const DIRECTIVES = [
  "continue",
  "loop",
  "trigger",
  "vibecheck",
  "checkpoint",
  "stop",
] as const;
export interface Directive extends JsonObject {
  readonly action: (typeof DIRECTIVES)[number];
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

/** The stricter of two effects. */
export const stricter = (left: Effect, right: Effect): Effect =>
  STRICTNESS[left] > STRICTNESS[right] ? left : right;

/** Tells an effect from any other value. */
export const isEffect = (value: unknown): value is Effect =>
  typeof value === "string" && Object.hasOwn(STRICTNESS, value);

/** The code of a verdict that has none of its own. */
export const CODE_OF_EFFECT = {
  allow: "rule_allowed",
  ask_user: "rule_asked",
  deny: "rule_denied",
} as const;

/** The codes that any verdict may carry. */
const KERNEL_CODES = new Set([...Object.values(CODE_OF_EFFECT), "unknown_command", "invalid_call"]);

/** What a plugin may vote. */
export interface Voter {
  readonly grants: boolean;
  readonly codes: ReadonlySet<string>;
}

/** Why an answer is not a verdict that this plugin may give, or nothing. */
export function verdictFault(
  verdict: Verdict,
  { grants, codes }: Voter,
  hook: HookName,
): string | undefined {
  if (!isJsonObject(verdict)) return "A check must answer with a verdict or nothing";
  const { effect, reason, code = "rule_denied" }: Partial<Verdict> = verdict;
  const { directive, recovery = "end" }: Partial<Verdict> = verdict;
  const { fix = "", message = "", rule = { name: "" } }: Partial<Verdict> = verdict;
  const { shadow = true, severity = "blocking" }: Partial<Verdict> = verdict;
  const texts = [reason, fix, message, code, rule.name, rule.file ?? ""];
  if (!isEffect(effect)) return "`effect` must be allow, ask_user or deny";
  if (effect === "allow" && !grants)
    return "Only a plugin with `grants` may allow: answer deny, ask_user or nothing";
  if (!texts.every((text) => typeof text === "string"))
    return "`reason`, `fix`, `message`, `code` and `rule` must be text";
  if (typeof (rule.line ?? 0) !== "number") return "`rule.line` must be a number";
  if (typeof shadow !== "boolean") return "`shadow` must be true or false";
  if (severity !== "blocking" && (severity !== "warning" || hook !== "onTransition"))
    return "`severity` must be blocking, or warning on a transition";
  if (!KERNEL_CODES.has(code) && !codes.has(code))
    return `The plugin does not declare the code \`${code}\``;
  if (directive !== undefined && !DIRECTIVES.includes(directive.action))
    return `\`directive\` must be one of ${DIRECTIVES.join(", ")}`;
  if (!RECOVERIES.includes(recovery)) return `\`recovery\` must be one of ${RECOVERIES.join(", ")}`;
  return undefined;
}
