import { BylawError, omitUndefined, type EventDraft, type JsonObject } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import {
  RULE_LIMIT,
  readRule,
  type Author,
  type ConstitutionRule,
  type RuleInput,
} from "./rule.ts";
import { constitutionState, oldestFor, rulesAt } from "./state.ts";

/** The author of a change or renewal of the rules. */
export interface RuleAuthor {
  readonly by: string;
  readonly author: Author;
  /** RFC 3339, UTC. Default: the run's clock. */
  readonly at?: string;
  /** Whether each agent has its own rules, as by the option `agent_rules`. An agent then replaces only its own. Default `false`. */
  readonly own?: boolean;
}

/** The rules in force at a time. Reading does not extend their life. */
export const constitutionOf = (
  run: Pick<Run, "view" | "now">,
  at: string = run.now(),
): readonly ConstitutionRule[] => rulesAt(run.view(constitutionState), at);

/** How often adding a rule is tried when another process changes the rules at the same time. */
const ATTEMPTS = 50;

// One process adds its rules one after the other; concurrent attempts would invalidate each other.
const turns = new WeakMap<Run, Promise<unknown>>();

function inTurn<T>(run: Run, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(run) ?? Promise.resolve()).then(work);
  turns.set(
    run,
    turn.catch(() => {}),
  );
  return turn;
}

/**
 * Adds a rule. Once there are 50, the oldest rule by an agent is dropped, on record; an agent never displaces an operator's. If each
 * agent has its own rules, the oldest rule of the agent with the most rules is dropped. Throws BYLAW_CONSTITUTION_INVALID,
 * BYLAW_CONSTITUTION_FULL, and what the run throws.
 */
export async function updateConstitution(
  run: Run,
  given: unknown,
  by: RuleAuthor,
): Promise<readonly ConstitutionRule[]> {
  const rule = readRule(given);
  return inTurn(run, () => addRule(run, rule, by));
}

async function addRule(
  run: Run,
  rule: RuleInput,
  { by, author, at, own = false }: RuleAuthor,
): Promise<readonly ConstitutionRule[]> {
  for (let attempt = 1; ; attempt += 1) {
    await run.catchUp();
    const rules = constitutionOf(run, at);
    const dropped = rules.length >= RULE_LIMIT ? oldestFor(rules, author, { own }) : undefined;
    if (rules.length >= RULE_LIMIT && dropped === undefined)
      throw new BylawError({
        code: "BYLAW_CONSTITUTION_FULL",
        message: `There is no room for another rule: all ${RULE_LIMIT} are an operator's`,
        fix: "Ask an operator",
      });
    try {
      await run.record([
        ...(dropped === undefined
          ? []
          : [
              draft("constitution_rule_dropped", by, author, {
                id: dropped.id,
                rule: dropped.rule,
              }),
            ]),
        draft("constitution_updated", by, author, {
          by,
          author,
          ...omitUndefined(rule),
        } as JsonObject),
      ]);
      return constitutionOf(run, at);
    } catch (error) {
      // Another process took the last place, or dropped the same rule.
      if (
        attempt === ATTEMPTS ||
        !(error instanceof BylawError) ||
        error.code !== "BYLAW_EVENT_REFUSED"
      )
        throw error;
    }
  }
}

/**
 * Replaces the rules by the first 50 of these. An agent replaces only the rules by agents, or only its own. Throws
 * BYLAW_CONSTITUTION_INVALID, BYLAW_CONSTITUTION_FULL if an agent's rules do not all fit next to those that stay, and what the run throws.
 */
export async function resetConstitution(
  run: Run,
  given: readonly unknown[],
  { by, author, at, own = false }: RuleAuthor,
): Promise<readonly ConstitutionRule[]> {
  const rules = given
    .slice(0, RULE_LIMIT)
    .map((rule) => omitUndefined(readRule(rule)) as JsonObject);
  return inTurn(run, async () => {
    await run.catchUp();
    const others = constitutionOf(run, at).filter(
      (one) => one.author === "operator" || (own && one.by !== by),
    ).length;
    if (author === "agent" && rules.length > 0 && others + rules.length > RULE_LIMIT)
      throw new BylawError({
        code: "BYLAW_CONSTITUTION_FULL",
        message: `${rules.length} rules and ${others} of others are more than the limit of ${RULE_LIMIT}`,
        fix: "Remove your rules and add them one by one: then the agent with the most rules makes room",
      });
    await run.record([
      draft("constitution_reset", by, author, { by, author, rules, ...(own ? { own } : {}) }),
    ]);
    return constitutionOf(run, at);
  });
}

/** Keeps the rules alive for another hour. Expired rules stay expired. */
export async function touchConstitution(
  run: Run,
  { by, author, at }: RuleAuthor,
): Promise<readonly ConstitutionRule[]> {
  await run.record([draft("constitution_touched", by, author, { by, author })]);
  return constitutionOf(run, at);
}

type Draft = Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">;

const draft = (event_type: string, by: string, author: Author, details: JsonObject): Draft => ({
  event_type,
  agent_id: author === "agent" ? by : null,
  task_id: null,
  details,
});
