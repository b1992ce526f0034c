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
  if (deciding === undefined) return fall(subject, votes, context);
  const { id, hook } = subject;
  const { policy, enforcement_mode } = context;
  const { effect, code, reason, fix, rule, plugin, tap, from, message } = deciding;
  const by = `${plugin}/${tap}`;
  // In one piece each: an object that grows field by field costs as much as all the rest.
  const decision: { -readonly [K in keyof Decision]: Decision[K] } =
    rule === undefined
      ? { hook, votes, policy, enforcement_mode, effect, applied: effect, code, reason, by, from }
      : { hook, votes, policy, enforcement_mode, effect, applied: effect, code, reason, by, from, rule };
  if (id !== undefined) decision.id = id;
  if (fix !== undefined) decision.fix = fix;
  if (message !== undefined) decision.message = message;
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

function fall(subject: Subject, votes: readonly Vote[], context: DecisionContext): Decision {
  const { id, hook } = subject;
  const { policy, enforcement_mode, fallback, approval_mode, editsWorkspace } = context;
  let [effect, reason] = OTHERWISE[hook];
  let code = "fallback";
  if (hook === "beforeToolCall") {
    const mode = subject.approval_mode ?? approval_mode;
    const nothing = `No rule matches \`${subject.tool}\``;
    // A mode speaks only where a person would be asked: it never touches a vote, nor a default deny.
    const waved = fallback === "ask_user" && (mode === "yolo" || (mode === "autoEdit" && editsWorkspace(subject)));
    [effect, code] = waved ? ["allow", "mode_allowed"] : [fallback, code];
    reason = waved ? `${nothing}; approval mode ${mode} lets it pass` : `${nothing}; the default is ${fallback}`;
  }
  const decision = { hook, votes, policy, enforcement_mode, effect, applied: effect, code, reason };
  return id === undefined ? decision : { id, ...decision };
}

/**
 * Settles a question: a live grant answers it, nobody to ask denies it. A deny stays a deny, and a grant that ran out is
 * `approval_expired`, which is nobody's no. Then says what happens under the enforcement mode.
 */
export function settle(open: Decision, subject: Subject, { hard }: DecisionContext, grant?: Grant): Decision {
  if (open.effect === "allow" || (open.effect === "deny" && open.enforcement_mode === "strict")) return open;
  // A question that stays one.
  if (open.effect === "ask_user" && open.enforcement_mode === "strict" && grant === undefined && subject.interactive !== false) return open;
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
