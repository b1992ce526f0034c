import { brand } from "./brand.ts";
import type { Decision, EnforcementMode, Grant } from "./decision.ts";
import { canonicalJson } from "./json.ts";
import type { ApprovalMode, Subject, ToolCall } from "./subject.ts";
import {
  DIRECTIVES,
  RECOVERIES,
  STRICTNESS,
  stricter,
  type Directive,
  type Effect,
  type HookName,
  type Recovery,
  type Verdict,
  type Vote,
} from "./verdict.ts";

/** The settings that decide if every tap abstained, and that every decision contains. */
export interface DecisionContext {
  /** The strictest default of all policies, or else the config's fallback. */
  readonly fallback: Effect;
  readonly approval_mode: ApprovalMode;
  /** Whether an approval mode allows a call that would be asked about only because no rule matched. */
  readonly letsThrough: (mode: ApprovalMode, call: ToolCall) => boolean;
  /** Explains why no rule covers a call. */
  readonly unmatched: (call: ToolCall) => string;
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  /** Whether a vote is never softened, in any enforcement mode. */
  readonly neverSoftened: (vote: Pick<Vote, "plugin" | "code">) => boolean;
}

/**
 * Computes effect(votes) = max(votes) with allow < ask_user < deny, or the hook's fallback if no one voted. Among the strictest
 * votes, the first by (plugin, tap, rule) decides. Payloads combine in fixed orders, so the order of plugins never matters.
 */
export function combine(
  subject: Subject,
  cast: readonly Vote[],
  context: DecisionContext,
): Decision {
  const votes = cast.length > 1 ? cast.toSorted(compareVotes) : cast;
  const deciding = decidingVote(votes);
  const { effect, code, reason } = deciding ?? fallbackOf(subject, context);
  const { policy, enforcement_mode } = context;
  const { hook, id } = subject;
  const decided = { hook, votes, policy, enforcement_mode, effect, applied: effect, code };
  const decision: Mutable<Decision> =
    typeof reason === "string" ? { ...decided, reason } : withLateReason(decided, reason);
  if (id !== undefined) decision.id = id;
  if (deciding !== undefined) attribute(decision, deciding);
  return decision;
}

// Finding the nearest rule takes longer than deciding, and few callers read the reason.
const Late = brand<() => string>();

// One getter for all decisions. A closure for each would give each a hidden class of its own, which takes a third of a decision.
const LATE_REASON = { get: readReason, enumerable: true, configurable: true };

function readReason(this: object): string | undefined {
  return Late.of(this)?.();
}

const withLateReason = (decided: Omit<Decision, "reason">, find: () => string): Decision =>
  new Late(Object.defineProperty(decided, "reason", LATE_REASON), find) as Decision;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function decidingVote(votes: readonly Vote[]): Vote | undefined {
  let deciding: Vote | undefined;
  for (const vote of votes) {
    if (!counts(vote)) continue;
    if (deciding === undefined || STRICTNESS[vote.effect] > STRICTNESS[deciding.effect])
      deciding = vote;
  }
  return deciding;
}

/** Adds the deciding rule, and the strictest payloads among the votes of the same effect. */
function attribute(decision: Mutable<Decision>, deciding: Vote): void {
  const { plugin, tap, from, rule, fix, message } = deciding;
  decision.by = `${plugin}/${tap}`;
  decision.from = from;
  if (rule !== undefined) decision.rule = rule;
  if (fix !== undefined) decision.fix = fix;
  if (message !== undefined) decision.message = message;
  let { instead } = deciding;
  for (const vote of decision.votes) {
    if (vote.effect !== decision.effect || !counts(vote)) continue;
    const { directive, recovery, instead: other = null } = vote;
    // One vote without it, or with another, is an objection.
    if (instead && canonicalJson(instead) !== canonicalJson(other)) instead = undefined;
    if (rankOf(DIRECTIVES, directive?.action) > rankOf(DIRECTIVES, decision.directive?.action))
      decision.directive = directive as Directive;
    if (rankOf(RECOVERIES, recovery) > rankOf(RECOVERIES, decision.recovery))
      decision.recovery = recovery as Recovery;
  }
  if (instead) decision.instead = instead;
}

const rankOf = <T>(order: readonly T[], value: T | undefined): number =>
  value === undefined ? -1 : order.indexOf(value);

/** Whether a vote takes part in the decision. Votes of rules in shadow and warnings are only recorded. */
const counts = ({ shadow, severity }: Verdict): boolean =>
  shadow !== true && severity !== "warning";

/** A total order by (plugin, tap, rule, …), so that the deciding vote does not depend on the order of registration. */
function compareVotes(left: Vote, right: Vote): number {
  // Most votes differ in the plugin, and comparing the rest takes longer than deciding.
  if (left.plugin !== right.plugin) return left.plugin < right.plugin ? -1 : 1;
  const [a, b] = [keyOf(left), keyOf(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

// U+0000 sorts before every character of a name, so comparing the joined text compares part by part.
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

type Fallback = Pick<Vote, "effect" | "code"> & { readonly reason: string | (() => string) };

const FALLBACKS: Readonly<Record<Exclude<HookName, "beforeToolCall">, Fallback>> = {
  onTransition: { effect: "deny", reason: "No plugin allows this transition", code: "fallback" },
  onBehavior: { effect: "deny", reason: "No plugin allows this request", code: "fallback" },
  onEnforcement: { effect: "allow", reason: "Accepted", code: "fallback" },
};

function fallbackOf(subject: Subject, context: DecisionContext): Fallback {
  if (subject.hook !== "beforeToolCall") return FALLBACKS[subject.hook];
  const { fallback, approval_mode, letsThrough, unmatched } = context;
  const mode = subject.approval_mode ?? approval_mode;
  // A mode only replaces a question. It never changes a vote or a default deny.
  const passes = fallback === "ask_user" && letsThrough(mode, subject);
  let found: string | undefined;
  const end = passes ? `approval mode ${mode} allows it` : `the default is ${fallback}`;
  return {
    effect: passes ? "allow" : fallback,
    code: passes ? "mode_allowed" : "fallback",
    reason: () => (found ??= `${unmatched(subject)}; ${end}`),
  };
}

/**
 * Answers an open question: a valid grant allows, and without anyone to ask it is denied. A deny stays a deny. The code for an
 * expired grant is `approval_expired`, because no person refused. Then applies the enforcement mode.
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
    const approved = { effect: "allow", code: "approved", reason: `Approved by ${by}` } as const;
    if (Date.parse(at) < Date.parse(expires_at))
      return { ...approved, approval, instead: undefined };
    const reason = `The approval expired at ${expires_at}: ${question}`;
    return { effect, code: "approval_expired", reason };
  }
  if (effect === "ask_user") return {};
  const reason = `This needs approval, and nobody is there to give it (non-interactive run): ${question}`;
  return { effect, code: "approval_unavailable", reason };
}

const NEVER_SOFTENED = new Set(["check_failed", "engine_absent", "run_ended", "invalid_call"]);

// `asked` is the effect that replaces ask_user.
function enforce(
  decision: Decision,
  asked: Effect,
  neverSoftened: DecisionContext["neverSoftened"],
): Effect {
  const { effect, code, votes, enforcement_mode } = decision;
  if (effect === "allow" || enforcement_mode === "strict" || NEVER_SOFTENED.has(code))
    return effect;
  const held = votes
    .filter((vote) => NEVER_SOFTENED.has(vote.code) || neverSoftened(vote))
    .filter(counts)
    .map((vote) => vote.effect)
    .reduce(stricter, "allow");
  return held === "ask_user" ? asked : held;
}
