import type { LogEvent } from "@bylaw/kernel";
import { BoundedNames, MAX_NAMES } from "./bounded-names.ts";
import { DecisionCounter, type DecisionReport } from "./decision-count.ts";
import {
  addFigures,
  countTurns,
  noFigures,
  ratesOf,
  type Figures,
  type Rates,
  type TurnCount,
} from "./turns.ts";

/** The figures of one agent in one run. */
interface AgentReport extends Figures {
  readonly run: string;
  readonly agent: string;
  readonly unknown_tools: readonly string[];
  /** The greatest number of violations in one round. */
  readonly worst_round: number;
  readonly rates: Rates;
}

/** How often something occurs in violations. */
export interface Frequency {
  readonly name: string;
  readonly violations: number;
  /** The number of runs, and of agents in these runs. */
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

/** Statistics about the logs of runs. */
export interface Report {
  readonly runs: readonly {
    readonly run: string;
    readonly events: number;
    readonly agents: number;
    readonly begin: string;
    readonly end: string;
  }[];
  /** What was decided about tool calls. */
  readonly decisions: DecisionReport;
  /** From here on, about turns: whether responses complied. */
  readonly totals: Figures;
  readonly rates: Rates;
  readonly reasons: readonly Frequency[];
  readonly rounds: readonly Frequency[];
  readonly tools: readonly Frequency[];
  readonly agents: readonly AgentReport[];
  readonly red_flags: readonly RedFlag[];
}

/** The red flags: more violations than this in one round, or more characters than this lost by an agent. */
const RETRIES = 2;
const LOST = 5_000;

// Events of an agent even if they name none: a host with a single agent may leave the name out.
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

/** Counts violations by reason, round, agent and tool, over any number of runs. Memory grows with the number of agents, not of events. */
export class ReportCollector {
  readonly #runs: { run: string; events: number; agents: number; begin: string; end: string }[] =
    [];
  readonly #agents = new Map<string, AgentCount>();
  readonly #reasons = new BoundedNames(noViolations);
  readonly #rounds = new BoundedNames(noViolations);
  readonly #tools = new BoundedNames(noViolations);
  readonly #decisions = new DecisionCounter();

  /** Begins a run. All following events belong to it. */
  begin(run: string): void {
    this.#runs.push({ run, events: 0, agents: 0, begin: "", end: "" });
    this.#decisions.begin();
  }

  add(event: LogEvent): void {
    const run = this.#runs.at(-1);
    if (run === undefined) return;
    run.events += 1;
    run.begin ||= event.timestamp;
    run.end = event.timestamp;
    this.#decisions.add(event);
    const id = event.agent_id ?? (OF_AGENTS.has(event.event_type) ? "" : null);
    if (id === null) return;
    const agent = this.#agentOf(id);
    const before = agent.turns.result().chars_lost;
    agent.turns.add(event);
    if (event.event_type === "enforcement")
      this.#violate(event, agent, agent.turns.result().chars_lost - before);
    if (event.event_type === "response_accepted")
      for (const tool of textsOf(event.details["unknown_tools"])) agent.unknown.add(tool);
  }

  result(): Report {
    const agents = [...this.#agents.values()].map(agentReport);
    const totals = noFigures();
    for (const { turns } of this.#agents.values()) addFigures(totals, turns.result());
    return {
      runs: this.#runs,
      decisions: this.#decisions.result(),
      totals,
      rates: ratesOf(totals),
      reasons: frequencies(this.#reasons),
      rounds: frequencies(this.#rounds).toSorted(
        (one, other) => Number(one.name) - Number(other.name),
      ),
      tools: frequencies(this.#tools),
      agents,
      red_flags: agents.flatMap(flagsOf),
    };
  }

  #agentOf(agent: string): AgentCount {
    const key = JSON.stringify([this.#runs.length, agent]);
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const run = this.#runs.at(-1);
    if (run !== undefined) run.agents += 1;
    const made = {
      run: run?.run ?? "",
      agent,
      turns: countTurns(),
      unknown: new Set<string>(),
      rounds: new Map<number, number>(),
    };
    this.#agents.set(key, made);
    return made;
  }

  #violate({ details }: LogEvent, { agent, unknown, rounds }: AgentCount, lost: number): void {
    const reason = typeof details["reason"] === "string" ? details["reason"] : "unknown";
    const round = typeof details["round"] === "number" ? details["round"] : 1;
    const tools = new Set(textsOf(details["tool_calls"]));
    this.#raise(this.#reasons, reason, agent, lost);
    this.#raise(this.#rounds, String(round), agent, lost);
    for (const tool of tools) this.#raise(this.#tools, tool, agent, lost);
    if (reason === "unknown_tool")
      for (const tool of tools) if (unknown.size < MAX_NAMES) unknown.add(tool);
    if (rounds.size < MAX_NAMES || rounds.has(round))
      rounds.set(round, (rounds.get(round) ?? 0) + 1);
  }

  #raise(groups: BoundedNames<Group>, name: string, agent: string, lost: number): void {
    const one = groups.of(name);
    one.violations += 1;
    one.chars_lost += lost;
    one.runs.add(this.#runs.length);
    one.agents.add(JSON.stringify([this.#runs.length, agent]));
  }
}

const noViolations = (): Group => ({
  ...{ violations: 0, chars_lost: 0, runs: new Set(), agents: new Set() },
});

function agentReport({ run, agent, turns, unknown, rounds }: AgentCount): AgentReport {
  const figures = turns.result();
  return {
    run,
    agent,
    ...figures,
    unknown_tools: [...unknown],
    worst_round: [...rounds.values()].reduce((most, count) => Math.max(most, count), 0),
    rates: ratesOf(figures),
  };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? (value as readonly unknown[]).filter((item) => typeof item === "string")
    : [];

const frequencies = (groups: BoundedNames<Group>): readonly Frequency[] =>
  groups.entries
    .map(([name, { violations, runs, agents, chars_lost }]) => ({
      name,
      violations,
      runs: runs.size,
      agents: agents.size,
      chars_lost,
    }))
    .toSorted(
      (one, other) => other.violations - one.violations || (one.name < other.name ? -1 : 1),
    );

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
