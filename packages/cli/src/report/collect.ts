import type { LogEvent } from "@bylaw/kernel";
import {
  addFigures,
  countTurns,
  noFigures,
  ratesOf,
  type Figures,
  type Rates,
  type TurnCount,
} from "./turns.ts";

/** What one agent did in one run. */
interface AgentReport extends Figures {
  readonly run: string;
  readonly agent: string;
  readonly unknown_tools: readonly string[];
  /** The most violations in one round. */
  readonly worst_round: number;
  readonly rates: Rates;
}

/** How often something stands in violations. */
export interface Frequency {
  readonly name: string;
  readonly violations: number;
  /** In how many runs, and by how many agents of them. */
  readonly runs: number;
  readonly agents: number;
  readonly chars_lost: number;
}

/** A sign that something is wrong with an agent, a tool or a prompt. */
interface RedFlag {
  readonly run: string;
  readonly agent: string;
  readonly flag:
    | "retries_in_a_round"
    | "characters_lost"
    | "unknown_tools"
    | "non_compliant"
    | "dropped";
  readonly text: string;
}

/** What the logs of runs tell afterwards. */
export interface Report {
  readonly runs: readonly {
    readonly run: string;
    readonly events: number;
    readonly agents: number;
    readonly begin: string;
    readonly end: string;
  }[];
  readonly totals: Figures;
  readonly rates: Rates;
  readonly reasons: readonly Frequency[];
  readonly rounds: readonly Frequency[];
  readonly tools: readonly Frequency[];
  readonly agents: readonly AgentReport[];
  readonly red_flags: readonly RedFlag[];
}

/** Reads runs, one after the other. */
export interface Collector {
  /** The next events are of this run. */
  begin(run: string): void;
  /** Whether there is a run that events are of. */
  readonly begun: boolean;
  add(event: LogEvent): void;
  result(): Report;
}

/** Violations of one round, and characters lost by an agent, that are worth a look. */
const RETRIES = 2;
const LOST = 5_000;
// A log can hold millions of names, all different.
const NAMES = 10_000;
const OTHERS = "(others)";

// A host with one agent may not name it.
const OF_AGENTS: ReadonlySet<string> = new Set([
  "enforcement",
  "response_accepted",
  "agent_dropped",
  "infrastructure_event",
]);

interface Group {
  violations: number;
  chars_lost: number;
  readonly runs: Set<number>;
  readonly agents: Set<string>;
}

interface AgentCount {
  readonly run: string;
  readonly agent: string;
  readonly turns: TurnCount;
  readonly unknown: Set<string>;
  readonly rounds: Map<number, number>;
}

/** Counts violations by reason, round, agent and tool, over any number of runs, in memory that grows with the agents that they name, not with their events. */
export function createCollector(): Collector {
  const runs: { run: string; events: number; agents: number; begin: string; end: string }[] = [];
  const agents = new Map<string, AgentCount>();
  const groups = {
    reasons: new Map<string, Group>(),
    rounds: new Map<string, Group>(),
    tools: new Map<string, Group>(),
  };

  function agentOf(agent: string): AgentCount {
    const key = JSON.stringify([runs.length, agent]);
    const known = agents.get(key);
    if (known !== undefined) return known;
    const run = runs.at(-1);
    if (run !== undefined) run.agents += 1;
    const made = {
      run: run?.run ?? "",
      agent,
      turns: countTurns(),
      unknown: new Set<string>(),
      rounds: new Map<number, number>(),
    };
    agents.set(key, made);
    return made;
  }

  function raise(group: Map<string, Group>, given: string, agent: string, lost: number): void {
    const name = group.size < NAMES || group.has(given) ? given : OTHERS;
    const one = group.get(name) ?? {
      violations: 0,
      chars_lost: 0,
      runs: new Set(),
      agents: new Set(),
    };
    one.violations += 1;
    one.chars_lost += lost;
    one.runs.add(runs.length);
    one.agents.add(JSON.stringify([runs.length, agent]));
    group.set(name, one);
  }

  function violate(
    { details }: LogEvent,
    { agent, unknown, rounds }: AgentCount,
    lost: number,
  ): void {
    const reason = typeof details["reason"] === "string" ? details["reason"] : "unknown";
    const round = typeof details["round"] === "number" ? details["round"] : 1;
    const tools = new Set(textsOf(details["tool_calls"]));
    raise(groups.reasons, reason, agent, lost);
    raise(groups.rounds, String(round), agent, lost);
    for (const tool of tools) raise(groups.tools, tool, agent, lost);
    if (reason === "unknown_tool")
      for (const tool of tools) if (unknown.size < NAMES) unknown.add(tool);
    if (rounds.size < NAMES || rounds.has(round)) rounds.set(round, (rounds.get(round) ?? 0) + 1);
  }

  return {
    begin(run) {
      runs.push({ run, events: 0, agents: 0, begin: "", end: "" });
    },
    get begun() {
      return runs.length > 0;
    },
    add(event) {
      const run = runs.at(-1);
      if (run === undefined) return;
      run.events += 1;
      run.begin ||= event.timestamp;
      run.end = event.timestamp;
      const id = event.agent_id ?? (OF_AGENTS.has(event.event_type) ? "" : null);
      if (id === null) return;
      const agent = agentOf(id);
      const before = agent.turns.result().chars_lost;
      agent.turns.add(event);
      if (event.event_type === "enforcement")
        violate(event, agent, agent.turns.result().chars_lost - before);
      if (event.event_type === "response_accepted")
        for (const tool of textsOf(event.details["unknown_tools"])) agent.unknown.add(tool);
    },
    result() {
      const totals = noFigures();
      const reports = [...agents.values()].map(
        ({ run, agent, turns, unknown, rounds }): AgentReport => {
          const figures = turns.result();
          addFigures(totals, figures);
          return {
            run,
            agent,
            ...figures,
            unknown_tools: [...unknown],
            worst_round: [...rounds.values()].reduce((most, count) => Math.max(most, count), 0),
            rates: ratesOf(figures),
          };
        },
      );
      return {
        runs,
        totals,
        rates: ratesOf(totals),
        reasons: frequencies(groups.reasons),
        rounds: frequencies(groups.rounds).toSorted(
          (one, other) => Number(one.name) - Number(other.name),
        ),
        tools: frequencies(groups.tools),
        agents: reports,
        red_flags: reports.flatMap(flagsOf),
      };
    },
  };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? (value as readonly unknown[]).filter((item) => typeof item === "string")
    : [];

const frequencies = (groups: ReadonlyMap<string, Group>): readonly Frequency[] =>
  [...groups]
    .map(([name, { violations, runs, agents, chars_lost }]) => ({
      name,
      violations,
      runs: runs.size,
      agents: agents.size,
      chars_lost,
    }))
    .sort((one, other) => other.violations - one.violations || (one.name < other.name ? -1 : 1));

function flagsOf({ run, agent, ...report }: AgentReport): readonly RedFlag[] {
  const found: readonly (readonly [RedFlag["flag"], boolean, string])[] = [
    [
      "retries_in_a_round",
      report.worst_round >= RETRIES,
      `${report.worst_round} violations in one round`,
    ],
    ["characters_lost", report.chars_lost > LOST, `${report.chars_lost} characters lost`],
    [
      "unknown_tools",
      report.unknown_tools.length > 0,
      `called ${report.unknown_tools.slice(0, 5).join(", ")}`,
    ],
    [
      "non_compliant",
      report.non_compliant > 0,
      `${report.non_compliant} of ${report.turns} turns spent every attempt`,
    ],
    ["dropped", report.dropped > 0, `${report.dropped} of ${report.turns} turns were cut off`],
  ];
  return found.flatMap(([flag, holds, text]) => (holds ? [{ run, agent, flag, text }] : []));
}
