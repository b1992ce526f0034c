import { isJsonObject, omitUndefined, type Json, type LogEvent } from "@bylaw/kernel";
import { BoundedNames } from "../report/bounded-names.ts";

export interface NameCount {
  readonly name: string;
  readonly events: number;
}

/** A session of a log. */
interface SessionStats {
  readonly session_id: string;
  /** The time of the first event, as RFC 3339. */
  readonly begin: string;
  readonly end: string;
  readonly events: number;
}

type Mark = Pick<LogEvent, "sequence" | "timestamp" | "event_type">;

/** The counts of a log. The most frequent names come first; sessions are in the order of the log. */
export interface LogStats {
  readonly events: number;
  readonly first?: Mark;
  readonly last?: Mark;
  readonly sessions: readonly SessionStats[];
  readonly types: readonly NameCount[];
  readonly agents: readonly NameCount[];
  /** Decisions by effect and code, such as `deny rule_denied`. */
  readonly decisions: readonly NameCount[];
  readonly rules: readonly NameCount[];
}

/** Counts the events of a log. Memory grows with the number of names, up to a limit, and not with the length of the log. */
export class LogStatsCounter {
  readonly #types = new BoundedNames(noEvents);
  readonly #agents = new BoundedNames(noEvents);
  readonly #decisions = new BoundedNames(noEvents);
  readonly #rules = new BoundedNames(noEvents);
  readonly #sessions = new BoundedNames(() => ({ begin: "", end: "", events: 0 }));
  #first: Mark | undefined;
  #last: Mark | undefined;
  #events = 0;

  add({ sequence, timestamp, session_id, event_type, agent_id, details }: LogEvent): void {
    this.#events += 1;
    this.#last = { sequence, timestamp, event_type };
    this.#first ??= this.#last;
    const session = this.#sessions.of(session_id);
    if (session.events === 0) session.begin = timestamp;
    session.end = timestamp;
    session.events += 1;
    this.#types.of(event_type).events += 1;
    if (agent_id !== null) this.#agents.of(agent_id).events += 1;
    const { decision } = details;
    if (decision === undefined || !isJsonObject(decision)) return;
    const { effect, code } = decision;
    const name = [effect, code].filter((part) => typeof part === "string").join(" ");
    this.#decisions.of(name).events += 1;
    const rule = ruleName(decision["rule"]);
    if (rule !== undefined) this.#rules.of(rule).events += 1;
  }

  result(): LogStats {
    return {
      events: this.#events,
      ...omitUndefined({ first: this.#first, last: this.#last }),
      sessions: this.#sessions.entries.map(([session_id, one]) => ({ session_id, ...one })),
      types: counts(this.#types),
      agents: counts(this.#agents),
      decisions: counts(this.#decisions),
      rules: counts(this.#rules),
    };
  }
}

const noEvents = (): { events: number } => ({ events: 0 });

function ruleName(rule: Json | undefined): string | undefined {
  if (rule === undefined || !isJsonObject(rule)) return undefined;
  const { name, file, line } = rule;
  if (typeof name !== "string") return undefined;
  return typeof file === "string"
    ? `${name} (${file}${typeof line === "number" ? `:${line}` : ""})`
    : name;
}

const counts = (names: BoundedNames<{ events: number }>): readonly NameCount[] =>
  names.entries
    .map(([name, { events }]) => ({ name, events }))
    .sort((one, other) => other.events - one.events || (one.name < other.name ? -1 : 1));
