import type { Subject } from "./subject.ts";
import {
  CODE_OF_EFFECT,
  DIRECTIVES,
  RECOVERIES,
  compareVotes,
  counts,
  stricter,
  type Directive,
  type Effect,
  type HookName,
  type Recovery,
  type RuleReference,
  type Vote,
} from "./verdict.ts";

/** `strict` applies the effect, `permissive` lets the subject through and warns, `advisory` only records. */
export const ENFORCEMENT_MODES = ["strict", "permissive", "advisory"] as const;
export type EnforcementMode = (typeof ENFORCEMENT_MODES)[number];

/** What was decided, by whom, and why. */
export interface Decision {
  readonly id?: string;
  readonly hook: HookName;
  /** The verdict, in every enforcement mode. */
  readonly effect: Effect;
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

/** What decides when every tap abstained. */
export interface FallbackContext {
  /** The strictest default of the policies, else the config's fallback. */
  readonly fallback: Effect;
  readonly approval_mode: "ask" | "autoEdit" | "yolo";
  /** Whether a tool call only edits files inside the workspace; asked for `autoEdit` alone. */
  readonly editsWorkspace: (subject: Subject) => boolean;
}

export interface CombineContext extends FallbackContext {
  readonly policy: Readonly<Record<string, string>>;
  readonly enforcement_mode: EnforcementMode;
}

const HOOK_FALLBACK: Readonly<Record<Exclude<HookName, "beforeToolCall">, Effect>> = {
  onTransition: "deny",
  onBehavior: "deny",
  onEnforcement: "allow",
};

/**
 * effect(votes) = max(votes) with allow < ask_user < deny, and the hook's fallback when nobody voted. The deciding vote is
 * the least among the strictest by (plugin, tap, rule); payloads combine by their own fixed orders. So no order matters.
 */
export function combine(subject: Subject, cast: readonly Vote[], context: CombineContext): Decision {
  const votes = cast.length > 1 ? cast.toSorted(compareVotes) : cast;
  let effect: Effect | undefined;
  for (const vote of votes) {
    if (counts(vote)) effect = effect === undefined ? vote.effect : stricter(effect, vote.effect);
  }
  const base = {
    ...(subject.id === undefined ? {} : { id: subject.id }),
    hook: subject.hook,
    votes,
    policy: context.policy,
    enforcement_mode: context.enforcement_mode,
  };
  if (effect === undefined) return { ...base, ...fall(subject, context) };
  const strictest = votes.filter((vote) => counts(vote) && vote.effect === effect);
  const [deciding] = strictest;
  if (deciding === undefined) throw new TypeError("an effect without a vote");
  const directive = greatest(
    strictest,
    DIRECTIVES,
    (vote) => vote.directive,
    ({ action }) => action,
  );
  const recovery = greatest(
    strictest,
    RECOVERIES,
    (vote) => vote.recovery,
    (name) => name,
  );
  return {
    ...base,
    effect,
    code: deciding.code,
    reason: deciding.reason,
    ...(deciding.fix === undefined ? {} : { fix: deciding.fix }),
    ...(deciding.rule === undefined ? {} : { rule: deciding.rule }),
    by: `${deciding.plugin}/${deciding.tap}`,
    from: deciding.from,
    ...(directive === undefined ? {} : { directive }),
    ...(recovery === undefined ? {} : { recovery }),
    ...(deciding.message === undefined ? {} : { message: deciding.message }),
  };
}

function greatest<T>(
  votes: readonly Vote[],
  order: readonly string[],
  pick: (vote: Vote) => T | undefined,
  name: (value: T) => string,
): T | undefined {
  let best: T | undefined;
  for (const vote of votes) {
    const value = pick(vote);
    if (value === undefined) continue;
    if (best === undefined || order.indexOf(name(value)) > order.indexOf(name(best))) best = value;
  }
  return best;
}

function fall(subject: Subject, context: FallbackContext): Pick<Decision, "effect" | "code" | "reason"> {
  if (subject.hook !== "beforeToolCall") {
    const effect = HOOK_FALLBACK[subject.hook];
    const reason =
      effect === "allow"
        ? "No plugin objects"
        : `Unexpected ${NOUN[subject.hook]}, expected one that a plugin lets pass`;
    return { effect, code: "fallback", reason };
  }
  const mode = subject.approval_mode ?? context.approval_mode;
  const { fallback } = context;
  // A mode speaks only where a person would be asked: it never touches a vote, nor a default deny.
  if (fallback === "ask_user" && (mode === "yolo" || (mode === "autoEdit" && context.editsWorkspace(subject)))) {
    return {
      effect: "allow",
      code: "mode_allowed",
      reason: `No rule matches \`${subject.tool}\`; approval mode ${mode} lets it pass`,
    };
  }
  const reason = `No rule matches \`${subject.tool}\`; the default is ${fallback}`;
  return { effect: fallback, code: "fallback", reason };
}

const NOUN = { onTransition: "transition", onBehavior: "request", onEnforcement: "response" } as const;

/** A grant that a person gave for one call. */
export interface Grant {
  readonly sequence: number;
  readonly by: string;
  /** RFC 3339, UTC. */
  readonly expires_at: string;
}

/**
 * Settles a question: a live grant answers it, nobody to ask denies it. A deny stays a deny, and a grant that ran out is
 * `approval_expired`, which is nobody's no.
 */
export function settle(decision: Decision, subject: Subject, grant?: Grant): Decision {
  if (decision.effect !== "ask_user") return decision;
  const expired = grant !== undefined && !(Date.parse(subject.at ?? "") < Date.parse(grant.expires_at));
  if (grant !== undefined && !expired) {
    return {
      ...decision,
      effect: "allow",
      code: "approved",
      reason: `Approved by ${grant.by}`,
      approval: grant.sequence,
    };
  }
  const headless = subject.interactive === false;
  if (!expired && !headless) return decision;
  return {
    ...decision,
    effect: headless ? "deny" : "ask_user",
    code: expired ? "approval_expired" : "approval_unavailable",
    reason: expired
      ? `Unexpected approval that expired at ${grant.expires_at}, expected a live one: ${decision.reason}`
      : `Unexpected question with nobody to answer it, expected a rule that decides: ${decision.reason}`,
  };
}

/** What happens under the enforcement mode. Votes of `hard` plugins and failed checks are never softened. */
export function applied(decision: Decision, hard: ReadonlySet<string>): Effect {
  if (decision.enforcement_mode === "strict" || decision.effect === "allow") return decision.effect;
  if (NEVER_SOFTENED.has(decision.code)) return decision.effect;
  let held: Effect = "allow";
  for (const vote of decision.votes) {
    if (counts(vote) && (vote.code === "check_failed" || hard.has(vote.plugin))) held = stricter(held, vote.effect);
  }
  return held;
}

const NEVER_SOFTENED: ReadonlySet<string> = new Set(["check_failed", "engine_absent", "invalid_call"]);

/** A deny that no vote gave: the subject was not admissible, or the engine could not do its work. */
export function refusal(
  subject: { readonly hook: HookName; readonly id?: string | undefined },
  code: "invalid_call" | "engine_absent",
  reason: string,
  context: Pick<CombineContext, "policy" | "enforcement_mode">,
): Decision {
  return {
    ...(subject.id === undefined ? {} : { id: subject.id }),
    hook: subject.hook,
    effect: "deny",
    code,
    reason,
    votes: [],
    policy: context.policy,
    enforcement_mode: context.enforcement_mode,
  };
}

/** The code of a vote whose author named none. */
export const codeOf = (effect: Effect): string => CODE_OF_EFFECT[effect];
