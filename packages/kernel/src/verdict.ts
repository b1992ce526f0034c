import { JSON_LIMITS, isJsonObject, type JsonObject } from "./json.ts";

/** The strictness of each effect. */
export const STRICTNESS = { allow: 0, ask_user: 1, deny: 2 } as const;
/** The effect on a subject. Strictness: `allow` < `ask_user` < `deny`. */
export type Effect = keyof typeof STRICTNESS;

/** The four questions that Bylaw answers. */
export const HOOKS = ["beforeToolCall", "onTransition", "onBehavior", "onEnforcement"] as const;
export type HookName = (typeof HOOKS)[number];

/** The possible results of an agent's request to steer a workflow, strictest last. */
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

/** How an agent can recover from a response that does not comply, strictest last. */
export const RECOVERIES = ["inline", "restart", "end"] as const;
export type Recovery = (typeof RECOVERIES)[number];

/** The rule behind a verdict, with its position. Lines count from 1. */
export interface RuleReference {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

/** One answer of a tap. */
export interface Verdict {
  readonly effect: Effect;
  /** The reason in one plain sentence, for a person and a model. */
  readonly reason: string;
  /** What to do instead. */
  readonly fix?: string;
  /** A decision code of the kernel, or one that the plugin declares. Left out: `rule_allowed`, `rule_asked` or `rule_denied`. */
  readonly code?: string;
  readonly rule?: RuleReference;
  /**
   * Only for beforeToolCall, on a deny or an ask_user: new values of arguments, by name. A host that can change a call runs the changed
   * one if it is allowed, and others tell the model.
   */
  readonly instead?: JsonObject;
  /** `true`: the verdict is recorded but never counts (for a rule on trial). */
  readonly shadow?: boolean;
  /** Only for onTransition: a `warning` is recorded but never blocks. */
  readonly severity?: "blocking" | "warning";
  /** Only for onBehavior. */
  readonly directive?: Directive;
  /** Only for onEnforcement. */
  readonly recovery?: Recovery;
  /** Only for onEnforcement: the text for the model, if it differs from `reason`. */
  readonly message?: string;
}

/** The optional fields for the functions that create verdicts. */
export type VerdictDetails = Omit<Verdict, "effect" | "reason" | "fix">;

/** The possible answers of a tap: a verdict, several (one per rule), or nothing to abstain. */
export type Answer = Verdict | readonly Verdict[] | undefined;

/** A verdict with its voter. The kernel adds the voter, so that no plugin can forget or forge it. */
export interface Vote extends Verdict {
  readonly plugin: string;
  readonly tap: string;
  /** The config or ruleset that brought the plugin: `bylaw.config.ts > @bylaw/ruleset-recommended`. */
  readonly from: string;
  readonly code: string;
  /** The error of a failed check. */
  readonly error?: string;
}

/** Creates a verdict that allows the subject. Counts only from a plugin that declares `grants`. */
export const allow = (reason: string, details: VerdictDetails = {}): Verdict => ({
  ...details,
  effect: "allow",
  reason,
});

const stop =
  (effect: Effect) =>
  (reason: string, fix?: string, details: VerdictDetails = {}): Verdict =>
    fix === undefined ? { ...details, effect, reason } : { ...details, effect, reason, fix };

/** Creates a verdict that leaves the decision to a person. */
export const ask = stop("ask_user");

/** Creates a verdict that denies the subject. */
export const deny = stop("deny");

/** Returns the stricter of two effects. */
export const stricter = (left: Effect, right: Effect): Effect =>
  STRICTNESS[left] > STRICTNESS[right] ? left : right;

/** Whether a value is an effect. */
export const isEffect = (value: unknown): value is Effect =>
  typeof value === "string" && Object.hasOwn(STRICTNESS, value);

/** The code of a verdict without its own code. */
export const CODE_OF_EFFECT = {
  allow: "rule_allowed",
  ask_user: "rule_asked",
  deny: "rule_denied",
} as const;

/** The codes that any verdict may carry. */
const KERNEL_CODES = new Set([...Object.values(CODE_OF_EFFECT), "unknown_command", "invalid_call"]);

/** The plugin behind a vote, and what it may vote. */
export interface Voter {
  readonly grants: boolean;
  readonly codes: ReadonlySet<string>;
}

/** Explains why this plugin may not give an answer as its verdict. Undefined if it may. */
export function verdictFault(
  verdict: Verdict,
  { grants, codes }: Voter,
  hook: HookName,
): string | undefined {
  if (!isJsonObject(verdict)) return "A check must answer with a verdict or nothing";
  const { effect, reason, code = "rule_denied" }: Partial<Verdict> = verdict;
  const { directive, recovery = "end" }: Partial<Verdict> = verdict;
  const { fix = "", message = "", rule = { name: "" } }: Partial<Verdict> = verdict;
  const { shadow = true, severity = "blocking", instead }: Partial<Verdict> = verdict;
  const texts = [reason, fix, message, code, rule.name, rule.file ?? ""];
  if (!isEffect(effect)) return "`effect` must be allow, ask_user or deny";
  if (effect === "allow" && !grants)
    return "Only a plugin with `grants` may allow: answer deny, ask_user or nothing";
  if (!texts.every((text) => typeof text === "string"))
    return "`reason`, `fix`, `message`, `code` and `rule` must be text";
  if (typeof (rule.line ?? 0) !== "number") return "`rule.line` must be a number";
  if (typeof shadow !== "boolean") return "`shadow` must be true or false";
  if (instead !== undefined && !(hook === "beforeToolCall" && effect !== "allow" && fits(instead)))
    return `\`instead\` must be arguments by name, at most ${JSON_LIMITS.instead} characters of JSON, on a deny or ask_user about a tool call`;
  if (severity !== "blocking" && (severity !== "warning" || hook !== "onTransition"))
    return "`severity` must be blocking, or warning on a transition";
  if (!KERNEL_CODES.has(code) && !codes.has(code))
    return `The plugin does not declare the code \`${code}\``;
  if (directive !== undefined && !DIRECTIVES.includes(directive.action))
    return `\`directive\` must be one of ${DIRECTIVES.join(", ")}`;
  if (!RECOVERIES.includes(recovery)) return `\`recovery\` must be one of ${RECOVERIES.join(", ")}`;
  return undefined;
}

const fits = (instead: unknown): boolean =>
  isJsonObject(instead) &&
  Object.keys(instead).length > 0 &&
  JSON.stringify(instead).length <= JSON_LIMITS.instead;
