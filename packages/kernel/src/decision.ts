import type { Decision, Effect, EnforcementMode, Grant, HookName, Subject, Vote } from "../contract/index.d.ts";
import { DIRECTIVES, RECOVERIES, compareVotes, counts, isStricter, stricter } from "./verdict.ts";

/** The enforcement modes, strictest first. */
export const ENFORCEMENT_MODES: readonly EnforcementMode[] = ["strict", "permissive", "advisory"];

/** What decides when every tap abstained, and what every decision carries. */
export interface DecisionContext {
  /** The strictest default of the policies, else the config's fallback. */
  readonly fallback: Effect;
  readonly approval_mode: "ask" | "autoEdit" | "yolo";
  /** Whether a tool call only edits files inside the workspace; asked for `autoEdit` alone. */
  readonly editsWorkspace: (subject: Subject) => boolean;
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
  /** The plugins whose votes are never softened. */
  readonly hard: ReadonlySet<string>;
}

type Base = Pick<Decision, "id" | "hook" | "votes" | "policy" | "enforcement_mode">;
const base = (subject: Pick<Subject, "hook" | "id">, votes: readonly Vote[], context: DecisionContext): Base => {
  const [{ policy, enforcement_mode }, { id, hook }] = [context, subject];
  return id === undefined ? { hook, votes, policy, enforcement_mode } : { id, hook, votes, policy, enforcement_mode };
};

/**
 * effect(votes) = max(votes) with allow < ask_user < deny, and the hook's fallback when nobody voted. The deciding vote is
 * the least among the strictest by (plugin, tap, rule); payloads combine by their own fixed orders. So no order matters.
 */
export function combine(subject: Subject, cast: readonly Vote[], context: DecisionContext): Decision {
  const votes = cast.length > 1 ? cast.toSorted(compareVotes) : cast;
  let deciding: Vote | undefined;
  for (const vote of votes) {
    if (counts(vote) && (deciding === undefined || isStricter(vote.effect, deciding.effect))) deciding = vote;
  }
  if (deciding === undefined) {
    const fallen = fall(subject, context);
    return { ...base(subject, votes, context), ...fallen, applied: fallen.effect };
  }
  const { effect, code, reason, fix, rule, plugin, tap, from, message } = deciding;
  const decision: { -readonly [K in keyof Decision]: Decision[K] } = {
    ...base(subject, votes, context),
    effect,
    applied: effect,
    code,
    reason,
  };
  if (fix !== undefined) decision.fix = fix;
  if (rule !== undefined) decision.rule = rule;
  if (message !== undefined) decision.message = message;
  decision.by = `${plugin}/${tap}`;
  decision.from = from;
  for (const vote of votes) {
    if (vote.effect !== effect || !counts(vote)) continue;
    const { directive, recovery } = vote;
    if (directive !== undefined && rankOf(DIRECTIVES, directive.action) > rankOf(DIRECTIVES, decision.directive?.action))
      decision.directive = directive;
    if (recovery !== undefined && rankOf(RECOVERIES, recovery) > rankOf(RECOVERIES, decision.recovery)) decision.recovery = recovery;
  }
  return decision;
}

const rankOf = <T>(order: readonly T[], value: T | undefined): number => (value === undefined ? -1 : order.indexOf(value));

const OTHERWISE: Readonly<Record<HookName, readonly [Effect, string]>> = {
  beforeToolCall: ["ask_user", ""],
  onTransition: ["deny", "Unexpected transition, expected one that a plugin lets pass"],
  onBehavior: ["deny", "Unexpected request, expected one that a plugin lets pass"],
  onEnforcement: ["allow", "No plugin objects"],
};

function fall(
  subject: Subject,
  { fallback, approval_mode, editsWorkspace }: DecisionContext,
): Pick<Decision, "effect" | "code" | "reason"> {
  if (subject.hook !== "beforeToolCall") {
    const [effect, reason] = OTHERWISE[subject.hook];
    return { effect, code: "fallback", reason };
  }
  const mode = subject.approval_mode ?? approval_mode;
  const nothing = `No rule matches \`${subject.tool}\``;
  // A mode speaks only where a person would be asked: it never touches a vote, nor a default deny.
  if (fallback === "ask_user" && (mode === "yolo" || (mode === "autoEdit" && editsWorkspace(subject)))) {
    return { effect: "allow", code: "mode_allowed", reason: `${nothing}; approval mode ${mode} lets it pass` };
  }
  return { effect: fallback, code: "fallback", reason: `${nothing}; the default is ${fallback}` };
}

/**
 * Settles a question: a live grant answers it, nobody to ask denies it. A deny stays a deny, and a grant that ran out is
 * `approval_expired`, which is nobody's no. Then says what happens under the enforcement mode.
 */
export function settle(open: Decision, subject: Subject, { hard }: DecisionContext, grant?: Grant): Decision {
  if (open.effect === "allow" || (open.effect === "deny" && open.enforcement_mode === "strict")) return open;
  const decision = open.effect === "ask_user" ? { ...open, ...answer(open, subject, grant) } : open;
  return { ...decision, applied: enforce(decision, subject.interactive === false ? "deny" : "ask_user", hard) };
}

function answer({ reason: question }: Decision, { interactive, at = "" }: Subject, grant?: Grant): Partial<Decision> {
  const effect = interactive === false ? "deny" : "ask_user";
  if (grant !== undefined) {
    const { sequence: approval, by, expires_at } = grant;
    const live = Date.parse(at) < Date.parse(expires_at);
    if (live) return { effect: "allow", code: "approved", reason: `Approved by ${by}`, approval };
    const reason = `Unexpected approval that ended at ${expires_at}, expected a live one: ${question}`;
    return { effect, code: "approval_expired", reason };
  }
  if (effect === "ask_user") return {};
  const reason = `Unexpected question with nobody to answer it, expected a rule that decides: ${question}`;
  return { effect, code: "approval_unavailable", reason };
}

const NEVER_SOFTENED: ReadonlySet<string> = new Set(["check_failed", "engine_absent", "invalid_call"]);

// Votes of `hard` plugins and failed checks are never softened; `asked` is what becomes of a question here.
function enforce(decision: Decision, asked: Effect, hard: ReadonlySet<string>): Effect {
  const { effect, code, votes, enforcement_mode } = decision;
  if (effect === "allow" || enforcement_mode === "strict" || NEVER_SOFTENED.has(code)) return effect;
  const holds = (vote: Vote): boolean => counts(vote) && (NEVER_SOFTENED.has(vote.code) || hard.has(vote.plugin));
  const held = votes
    .filter(holds)
    .map((vote) => vote.effect)
    .reduce(stricter, "allow");
  return held === "ask_user" ? asked : held;
}
