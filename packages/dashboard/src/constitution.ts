import type { LogEvent } from "@bylaw/kernel";
import { constitutionState, RULE_LIFE_MS, type Constitution } from "@bylaw/plugin-constitution";

/** A rule that holds in the session. */
export interface SessionRule {
  readonly id: number;
  readonly rule: string;
  /** Whether it is checked, and not only told. */
  readonly checked: boolean;
  readonly author: string;
  readonly by: string;
}

/** The rules of the session, and how long they hold. */
export interface ConstitutionSeen {
  readonly rules: readonly SessionRule[];
  /** When all of them end unless they are renewed: RFC 3339, UTC. `null` without rules. */
  readonly ends: string | null;
}

export const NO_CONSTITUTION = constitutionState.initial;

/** The rules after an event. One that no plugin can have recorded changes nothing. */
export function constitutionAfter(state: Constitution, event: LogEvent): Constitution {
  if (!event.event_type.startsWith("constitution_")) return state;
  try {
    return constitutionState.reduce(state, event);
  } catch {
    return state;
  }
}

/** The rules as they were at a time; expired ones no longer count. */
export function constitutionSeen(
  { rules, touched }: Constitution,
  at: string | null,
): ConstitutionSeen {
  const end = touched === null ? Number.NaN : Date.parse(touched) + RULE_LIFE_MS;
  const isOver = Number.isNaN(end) || (at !== null && Date.parse(at) >= end);
  if (isOver || rules.length === 0) return { rules: [], ends: null };
  return {
    rules: rules.map(({ id, rule, check, author, by }) => ({
      ...{ id, rule: rule.slice(0, 2_000), checked: check !== null },
      ...{ author: String(author), by: by.slice(0, 200) },
    })),
    ends: new Date(end).toISOString(),
  };
}
