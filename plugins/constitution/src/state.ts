import { defineProjection, type Guard, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { EventType, Finding } from "@bylaw/log";
import { z } from "zod";
import {
  AUTHORS,
  RULE_LIFE_MS,
  RULE_LIMIT,
  policyOf,
  ruleInput,
  type Author,
  type ConstitutionRule,
} from "./rule.ts";

const who = { by: z.string().min(1).max(200), author: z.enum(AUTHORS) };

export const CONSTITUTION_EVENTS: readonly EventType[] = [
  { name: "constitution_updated", details: z.strictObject({ ...who, ...ruleInput.shape }) },
  {
    name: "constitution_rule_dropped",
    details: z.strictObject({ id: z.int().min(1), rule: z.string() }),
  },
  {
    name: "constitution_reset",
    details: z.strictObject({
      ...who,
      rules: z.array(ruleInput).max(RULE_LIMIT),
      own: z.literal(true).optional(),
    }),
  },
  { name: "constitution_touched", details: z.strictObject(who) },
];

/** The rules of a run, and the time of their last renewal. */
export interface Constitution extends JsonObject {
  readonly rules: readonly ConstitutionRule[];
  /** RFC 3339, UTC; `null`: never. */
  readonly touched: string | null;
  /** The id of the next rule. */
  readonly next: number;
}

/** The constitution of a run, from the log that all its processes and machines share. */
export const constitutionState = defineProjection<Constitution>({
  name: "@bylaw/plugin-constitution/rules",
  version: 1,
  scope: "task",
  initial: { rules: [], touched: null, next: 1 },
  reduce(state, event) {
    const { event_type, timestamp, details } = event;
    switch (event_type) {
      case "constitution_updated":
        return add({ ...state, rules: rulesAt(state, timestamp) }, timestamp, details, [details]);
      case "constitution_reset": {
        const kept = keptBy(rulesAt(state, timestamp), details);
        const given = (details["rules"] as readonly JsonObject[]).slice(
          0,
          RULE_LIMIT - kept.length,
        );
        return add({ ...state, rules: kept }, timestamp, details, given);
      }
      case "constitution_rule_dropped":
        return { ...state, rules: state.rules.filter(({ id }) => id !== details["id"]) };
      case "constitution_touched":
        // A late renewal does not revive expired rules.
        return rulesAt(state, timestamp).length === 0
          ? { ...state, rules: [] }
          : { ...state, touched: timestamp };
      default:
        return state;
    }
  },
});

function add(
  state: Constitution,
  touched: string,
  { by, author }: JsonObject,
  given: readonly JsonObject[],
): Constitution {
  const rules = given.map(({ rule, check = null }, at): ConstitutionRule => ({
    id: state.next + at,
    rule: String(rule),
    check: check as JsonObject | null,
    author: author as Author,
    by: String(by),
  }));
  return { rules: [...state.rules, ...rules], touched, next: state.next + rules.length };
}

const NONE: readonly ConstitutionRule[] = [];

/** The rules in force at a time, to the millisecond. Without a time no rule expires. */
export function rulesAt(
  { rules, touched }: Constitution,
  at: string | undefined,
): readonly ConstitutionRule[] {
  if (touched === null) return NONE;
  if (at === undefined) return rules;
  return Date.parse(at) - Date.parse(touched) < RULE_LIFE_MS ? rules : NONE;
}

/** The rules that bind an agent: all of them, or, if each agent has its own, an operator's and the agent's own. `null`: no agent. */
export const rulesFor = (
  rules: readonly ConstitutionRule[],
  agent: string | null,
  own: boolean,
): readonly ConstitutionRule[] =>
  own ? rules.filter(({ author, by }) => author === "operator" || by === agent) : rules;

/** The rules that a reset keeps. An agent's reset removes only rules by agents, or only its own. */
const keptBy = (
  rules: readonly ConstitutionRule[],
  { author, by, own }: JsonObject,
): readonly ConstitutionRule[] =>
  author === "operator"
    ? []
    : rules.filter((one) => one.author === "operator" || (own === true && one.by !== by));

/**
 * The rule that makes room for a new one: the oldest by any agent, or by the agent with the most rules, so that no agent displaces all others.
 * For an operator's rule without any by agents, it is the oldest of all.
 */
export function oldestFor(
  rules: readonly ConstitutionRule[],
  author: Author,
  { own = false }: { readonly own?: boolean } = {},
): ConstitutionRule | undefined {
  const given = rules.filter((one) => one.author === "agent");
  const count = ({ by }: ConstitutionRule): number => given.filter((one) => one.by === by).length;
  const most = own ? Math.max(...given.map(count)) : 0;
  return given.find((one) => count(one) >= most) ?? (author === "operator" ? rules[0] : undefined);
}

/** Refuses a rule beyond the limit, a check that does not load, and the drop of any rule but the next in turn. */
export const constitutionGuard: Guard = (
  view,
  { event_type, timestamp, details },
): Finding | undefined => {
  const state = view(constitutionState);
  const rules = rulesAt(state, timestamp);
  if (event_type === "constitution_rule_dropped") {
    const turn = [
      oldestFor(rules, "agent"),
      oldestFor(rules, "agent", { own: true }),
      oldestFor(rules, "operator"),
    ].map((one) => one?.id);
    if (rules.length >= RULE_LIMIT && turn.includes(details["id"] as number)) return undefined;
    return {
      rule: "CONSTITUTION_DROP",
      message: `Rule ${String(details["id"])} cannot be dropped: the oldest makes room`,
    };
  }
  if (event_type === "constitution_updated" && rules.length >= RULE_LIMIT)
    return {
      rule: "CONSTITUTION_FULL",
      message: `There are ${RULE_LIMIT} rules already: the oldest must be dropped first`,
    };
  if (event_type !== "constitution_updated" && event_type !== "constitution_reset")
    return undefined;
  const given =
    event_type === "constitution_updated" ? [details] : (details["rules"] as readonly JsonObject[]);
  return given.map(fault).find((one) => one !== undefined);
};

/**
 * If each agent has its own rules, refuses an event that removes another agent's, even if its caller forgot `own`. An operator is never
 * an agent.
 */
export const ownRulesGuard: Guard = (
  view,
  { event_type, agent_id, timestamp, details },
): Finding | undefined => {
  if (
    event_type === "constitution_reset" &&
    details["author"] === "agent" &&
    details["own"] !== true
  )
    return {
      rule: "CONSTITUTION_OWN",
      message: "An agent can reset only its own rules, with `own`",
    };
  if (event_type !== "constitution_rule_dropped" || agent_id === null) return undefined;
  const turn = oldestFor(rulesAt(view(constitutionState), timestamp), "agent", { own: true })?.id;
  if (turn === details["id"]) return undefined;
  return {
    rule: "CONSTITUTION_OWN",
    message: `Rule ${String(details["id"])} cannot be dropped: the agent with the most rules makes room`,
  };
};

function fault({ rule, check }: LogEvent["details"]): Finding | undefined {
  if (check === undefined) return undefined;
  try {
    policyOf({ id: 1, rule: String(rule), check: check as JsonObject });
    return undefined;
  } catch (error) {
    return {
      rule: "CONSTITUTION_CHECK",
      message: error instanceof Error ? error.message : "The check cannot be used",
    };
  }
}
