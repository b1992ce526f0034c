import { isJsonObject, type Json, type LogEvent } from "@bylaw/kernel";

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

export interface LogStatsCounter {
  add(event: LogEvent): void;
  result(): LogStats;
}

// A log can hold millions of different names.
const NAMES = 10_000;
const OTHERS = "(others)";

/** Counts the events of a log. Memory grows with the number of names, up to a limit, and not with the length of the log. */
export function createLogStatsCounter(): LogStatsCounter {
  const types = new Map<string, number>();
  const agents = new Map<string, number>();
  const decisions = new Map<string, number>();
  const rules = new Map<string, number>();
  const sessions = new Map<string, { begin: string; end: string; events: number }>();
  let first: Mark | undefined;
  let last: Mark | undefined;
  let events = 0;

  function sit({ session_id, timestamp }: LogEvent): void {
    const id = sessions.size < NAMES || sessions.has(session_id) ? session_id : OTHERS;
    const session = sessions.get(id);
    if (session === undefined) sessions.set(id, { begin: timestamp, end: timestamp, events: 1 });
    else {
      session.end = timestamp;
      session.events += 1;
    }
  }

  return {
    add(event) {
      const { sequence, timestamp, event_type, agent_id, details } = event;
      events += 1;
      last = { sequence, timestamp, event_type };
      first ??= last;
      sit(event);
      raise(types, event_type);
      if (agent_id !== null) raise(agents, agent_id);
      const { decision } = details;
      if (decision === undefined || !isJsonObject(decision)) return;
      raise(
        decisions,
        [decision["effect"], decision["code"]].filter((part) => typeof part === "string").join(" "),
      );
      const rule = ruleName(decision["rule"]);
      if (rule !== undefined) raise(rules, rule);
    },
    result: () => ({
      events,
      ...(first === undefined || last === undefined ? {} : { first, last }),
      sessions: [...sessions].map(([session_id, session]) => ({ session_id, ...session })),
      types: counts(types),
      agents: counts(agents),
      decisions: counts(decisions),
      rules: counts(rules),
    }),
  };
}

function raise(map: Map<string, number>, name: string): void {
  const key = map.size < NAMES || map.has(name) ? name : OTHERS;
  map.set(key, (map.get(key) ?? 0) + 1);
}

function ruleName(rule: Json | undefined): string | undefined {
  if (rule === undefined || !isJsonObject(rule)) return undefined;
  const { name, file, line } = rule;
  if (typeof name !== "string") return undefined;
  return typeof file === "string"
    ? `${name} (${file}${typeof line === "number" ? `:${line}` : ""})`
    : name;
}

const counts = (map: ReadonlyMap<string, number>): readonly NameCount[] =>
  [...map]
    .map(([name, events]) => ({ name, events }))
    .sort((one, other) => other.events - one.events || (one.name < other.name ? -1 : 1));
