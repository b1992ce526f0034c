import type { Json, LogEvent } from "@bylaw/kernel";
import {
  agentTurns,
  charsLost,
  isTurnOver,
  turnOf,
  type AgentTurns,
  type TurnOutcome,
} from "@bylaw/log";
import { added, countOf, objectOf, firstCharacters, textOf, textsOf } from "./reading.ts";
import { jsonText } from "./json-text.ts";
import { createListText, type ListText } from "./list-text.ts";
import type { Reliability } from "./schema.ts";

export interface ReliabilityOptions {
  /** How many violations are listed for an agent, the last ones; `undefined`: all. Totals count all in any case. */
  readonly keep: number | undefined;
  /** Whether what an agent was writing is shown. */
  readonly previews: boolean;
}

export interface ReliabilityFold {
  add(event: LogEvent, at: number): void;
  readonly outcome: TurnOutcome;
  /** The round that the agent is in; 0 before the first. */
  readonly round: number;
  readonly rounds: number;
  /** Unix seconds at which the agent entered that round. */
  readonly entered: number | null;
  /** Characters that a retry began with, so that they were not lost. */
  readonly carried: number;
  readonly violations: number;
  /** Without the listed violations. */
  value(): Reliability;
  /** The listed violations as JSON, between `[` and `]`. */
  readonly list: ListText;
}

const INDENT = "          ";

// Of one agent each: the tree has one entry.
const SELF = "agent";

/** Longest name of a tool that is shown, in characters: models make names up. */
const NAME = 200;
const namesOf = (value: Json | undefined): readonly string[] =>
  textsOf(value).map((name) => firstCharacters(name, NAME));

/** Longest preview of a response, in characters. */
const PREVIEW = 500;

// These say that no workflow tool was called, or none that exists; every other reason is an error in the use of one.
const NO_WORKFLOW: ReadonlySet<string> = new Set([
  "no_workflow_tool",
  "no_tool_calls",
  "unknown_tool",
]);

interface Round {
  count: number;
  readonly reasons: Set<string>;
}

export function createReliability({ keep, previews }: ReliabilityOptions): ReliabilityFold {
  const rounds = new Map<number, Round>();
  const unknown = new Set<string>();
  const errors = new Set<string>();
  const list = createListText({ keep, indent: INDENT });
  let violations = 0;
  let retries = 0;
  let lost = 0;
  let carried = 0;
  let turns: AgentTurns = null;
  let entered: number | null = null;
  // Outcome and round are what every other part reads from the log, by the very same fold.
  const turn = (): ReturnType<typeof turnOf> => turnOf(turns, SELF);

  function roundOf(round: number): Round {
    const known = rounds.get(round) ?? { count: 0, reasons: new Set() };
    rounds.set(round, known);
    return known;
  }

  function violate({ details }: LogEvent, at: number): void {
    const { tool_calls, error_message, buffer_preview, recovery, docker_health } = details;
    const round = countOf(details["round"]) ?? 1;
    const attempt = countOf(details["attempt"]) ?? 1;
    const reason = textOf(details["reason"]) ?? "unknown";
    const final = details["final"] === true;
    const chars = countOf(details["buffer_chars"]) ?? 0;
    const names = namesOf(tool_calls);
    const seen = roundOf(round);
    seen.count += 1;
    seen.reasons.add(reason);
    violations += 1;
    const over = isTurnOver(details);
    if (!final && !over) retries += 1;
    const gone = Math.min(chars, charsLost(details));
    lost = added(lost, gone);
    carried = added(carried, chars - gone);
    if (reason === "unknown_tool") for (const name of names) unknown.add(name);
    if (!NO_WORKFLOW.has(reason) && !over) errors.add(reason);
    const shown = previews ? firstCharacters(textOf(buffer_preview) ?? "", PREVIEW) : "";
    list.add(
      jsonText({
        ...{
          round,
          attempt,
          max_attempts: countOf(details["max_attempts"]) ?? attempt,
          reason,
          tool_calls: names,
        },
        ...{
          error_message: textOf(error_message) ?? null,
          buffer_preview: shown === "" ? null : shown,
          buffer_chars: chars,
        },
        ...{
          recovery:
            recovery === "inline" || recovery === "restart" || recovery === "end" ? recovery : null,
          final,
          timestamp: at,
        },
        ...(docker_health === undefined ? {} : { docker_health: objectOf(docker_health) }),
      }),
    );
  }

  return {
    add(event, at) {
      const before = turn();
      turns = agentTurns.reduce(turns, { ...event, agent_id: SELF });
      const { round, rounds: all } = turn();
      if (round !== before.round) entered = at;
      if (all.length !== before.rounds.length) roundOf(round);
      if (event.event_type === "enforcement") violate(event, at);
      else if (event.event_type === "response_accepted")
        for (const name of namesOf(event.details["unknown_tools"])) unknown.add(name);
    },
    get outcome() {
      return turn().outcome;
    },
    get round() {
      return turn().round;
    },
    get rounds() {
      return rounds.size;
    },
    get entered() {
      return entered;
    },
    get carried() {
      return carried;
    },
    get violations() {
      return violations;
    },
    list,
    value: () => ({
      enforcement_attempts: [],
      by_round: Object.fromEntries(
        [...rounds]
          .sort(([one], [other]) => one - other)
          .map(([round, { count, reasons }]) => [round, { count, reasons: [...reasons] }]),
      ),
      unknown_tools: [...unknown],
      workflow_errors: [...errors],
      total_enforcement_retries: retries,
      total_buffer_chars_lost: lost,
      outcome: turn().outcome,
    }),
  };
}
