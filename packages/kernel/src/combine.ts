import type { Decision, EnforcementMode, Grant } from "./decision.ts";
import type { ApprovalMode, Subject, ToolCall } from "./subject.ts";
import {
  DIRECTIVES,
  RECOVERIES,
  compareVotes,
  counts,
  isStricter,
  stricter,
  type Directive,
  type Effect,
  type HookName,
  type Recovery,
  type Vote,
} from "./verdict.ts";

/** What decides when every tap abstained, and what every decision carries. */
export interface DecisionContext {
  /** The strictest default of the policies, else the config's fallback. */
  readonly fallback: Effect;
  readonly approval_mode: ApprovalMode;
  /** Whether an approval mode lets a call through that would be asked about only because no rule matched. */
  readonly letsThrough: (mode: ApprovalMode, call: ToolCall) => boolean;
  /** Why no rule matched a call. */
  readonly unmatched: (call: ToolCall) => string;
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  /** The plugins whose votes no enforcement mode softens. */
  readonly neverSoftened: ReadonlySet<string>;
}

/**
 * effect(votes) = max(votes) with allow < ask_user < deny, and the hook's fallback when nobody voted. The deciding vote is
 * the least among the strictest by (plugin, tap, rule), and payloads combine by fixed orders, so no order of plugins matters.
 */
export function combine(
  subject: Subject,
  cast: readonly Vote[],
  context: DecisionContext,
): Decision {
  const votes = cast.length > 1 ? cast.toSorted(compareVotes) : cast;
  let deciding: Vote | undefined;
  for (const vote of votes) {
    if (counts(vote) && (deciding === undefined || isStricter(vote.effect, deciding.effect)))
      deciding = vote;
  }
  if (deciding === undefined) return fallbackDecision(subject, votes, context);
  const { effect, code, reason, fix, rule, plugin, tap, from, message } = deciding;
  const { policy, enforcement_mode } = context;
  const { hook, id } = subject;
  const by = `${plugin}/${tap}`;
  const decided = { hook, votes, policy, enforcement_mode, effect, applied: effect };
  const decision: Mutable<Decision> = { ...decided, code, reason, by, from };
  if (id !== undefined) decision.id = id;
  if (rule !== undefined) decision.rule = rule;
  if (fix !== undefined) decision.fix = fix;
  if (message !== undefined) decision.message = message;
  for (const vote of votes) {
    if (vote.effect !== effect || !counts(vote)) continue;
    const { directive, recovery } = vote;
    if (rankOf(DIRECTIVES, directive?.action) > rankOf(DIRECTIVES, decision.directive?.action))
      decision.directive = directive as Directive;
    if (rankOf(RECOVERIES, recovery) > rankOf(RECOVERIES, decision.recovery))
      decision.recovery = recovery as Recovery;
  }
  return decision;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const rankOf = <T>(order: readonly T[], value: T | undefined): number =>
  value === undefined ? -1 : order.indexOf(value);

const FALLBACKS: Readonly<Record<Exclude<HookName, "beforeToolCall">, readonly [Effect, string]>> =
  {
    onTransition: ["deny", "No plugin allows this transition"],
    onBehavior: ["deny", "No plugin allows this request"],
    onEnforcement: ["allow", "Accepted"],
  };

function fallbackDecision(
  subject: Subject,
  votes: readonly Vote[],
  context: DecisionContext,
): Decision {
  const { id, hook } = subject;
  const { policy, enforcement_mode } = context;
  const [effect, reason, code = "fallback"] =
    hook === "beforeToolCall" ? toolCallFallback(subject, context) : FALLBACKS[hook];
  const decision = { hook, votes, policy, enforcement_mode, effect, applied: effect, code, reason };
  return id === undefined ? decision : { id, ...decision };
}

function toolCallFallback(
  call: ToolCall,
  { fallback, approval_mode, letsThrough, unmatched }: DecisionContext,
): readonly [Effect, reason: string, code?: string] {
  const mode = call.approval_mode ?? approval_mode;
  const reason = unmatched(call);
  // A mode speaks only where a person would be asked: it never touches a vote or a default deny.
  return fallback === "ask_user" && letsThrough(mode, call)
    ? ["allow", `${reason}; approval mode ${mode} allows it`, "mode_allowed"]
    : [fallback, `${reason}; the default is ${fallback}`];
}

/**
 * Answers a question: a live grant allows it, and nobody to ask denies it. A deny stays a deny, and an expired grant is
 * `approval_expired`, not a person's no. Then applies the enforcement mode.
 */
export function applyGrantAndMode(
  open: Decision,
  subject: Subject,
  { neverSoftened }: DecisionContext,
  grant?: Grant,
): Decision {
  const { effect, enforcement_mode } = open;
  const asks = effect === "ask_user";
  const attended = subject.interactive !== false;
  const stays = enforcement_mode === "strict" && !(asks && (grant !== undefined || !attended));
  if (effect === "allow" || stays) return open;
  const decision = asks ? { ...open, ...answer(open, subject, grant) } : open;
  return { ...decision, applied: enforce(decision, attended ? "ask_user" : "deny", neverSoftened) };
}

function answer(
  { reason: question }: Decision,
  { interactive, at = "" }: Subject,
  grant?: Grant,
): Partial<Decision> {
  const effect = interactive === false ? "deny" : "ask_user";
  if (grant !== undefined) {
    const { sequence: approval, by, expires_at } = grant;
    const live = Date.parse(at) < Date.parse(expires_at);
    if (live) return { effect: "allow", code: "approved", reason: `Approved by ${by}`, approval };
    const reason = `The approval expired at ${expires_at}: ${question}`;
    return { effect, code: "approval_expired", reason };
  }
  if (effect === "ask_user") return {};
  const reason = `This needs approval, and nobody is there to give it (non-interactive run): ${question}`;
  return { effect, code: "approval_unavailable", reason };
}

const NEVER_SOFTENED: ReadonlySet<string> = new Set([
  "check_failed",
  "engine_absent",
  "run_ended",
  "invalid_call",
]);

// `asked` is what a question comes to here.
function enforce(decision: Decision, asked: Effect, neverSoftened: ReadonlySet<string>): Effect {
  const { effect, code, votes, enforcement_mode } = decision;
  if (effect === "allow" || enforcement_mode === "strict" || NEVER_SOFTENED.has(code))
    return effect;
  const held = votes
    .filter(
      (vote) => counts(vote) && (NEVER_SOFTENED.has(vote.code) || neverSoftened.has(vote.plugin)),
    )
    .map((vote) => vote.effect)
    .reduce(stricter, "allow");
  return held === "ask_user" ? asked : held;
}
