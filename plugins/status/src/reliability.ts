import type { Json, JsonObject, LogEvent } from "@bylaw/kernel";
import {
  agentTurns,
  lostCharacters,
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
  /** How many violations are listed per agent, the last ones; `undefined`: all. Totals always count all. */
  readonly keep: number | undefined;
  /** Whether to show what an agent was writing. */
  readonly previews: boolean;
}

const INDENT = "          ";

// The state of one agent, so the tree has one entry.
const SELF = "agent";

/** The longest tool name that is shown, in characters: models invent names. */
const NAME = 200;
const namesOf = (value: Json | undefined): readonly string[] =>
  textsOf(value).map((name) => firstCharacters(name, NAME));

/** The longest preview of a response, in characters. */
const PREVIEW = 500;

// These mean that no workflow tool was called, or none that exists. Every other reason is an error in the use of one.
const NO_WORKFLOW: ReadonlySet<string> = new Set([
  "no_workflow_tool",
  "no_tool_calls",
  "unknown_tool",
]);

interface Round {
  count: number;
  readonly reasons: Set<string>;
}

/** Follows the violations of one agent. */
export class ReliabilityFold {
  /** The listed violations as JSON, between `[` and `]`. */
  readonly list: ListText;
  readonly #previews: boolean;
  readonly #rounds = new Map<number, Round>();
  readonly #unknown = new Set<string>();
  readonly #errors = new Set<string>();
  #retries = 0;
  #lost = 0;
  // Outcome and round come from the same fold that all other code uses.
  #turns: AgentTurns = null;
  violations = 0;
  /** The number of characters that a retry began with, so they were not lost. */
  carried = 0;
  /** The Unix seconds at which the agent entered its round. */
  entered: number | null = null;

  constructor({ keep, previews }: ReliabilityOptions) {
    this.list = createListText(keep, INDENT);
    this.#previews = previews;
  }

  get outcome(): TurnOutcome {
    return turnOf(this.#turns, SELF).outcome;
  }

  /** The agent's round; 0 before the first. */
  get round(): number {
    return turnOf(this.#turns, SELF).round;
  }

  get rounds(): number {
    return this.#rounds.size;
  }

  add(event: LogEvent, at: number): void {
    const before = turnOf(this.#turns, SELF);
    this.#turns = agentTurns.reduce(this.#turns, { ...event, agent_id: SELF });
    const { round, rounds } = turnOf(this.#turns, SELF);
    if (round !== before.round) this.entered = at;
    if (rounds.length !== before.rounds.length) this.#roundOf(round);
    if (event.event_type === "enforcement") this.#violate(event.details, at);
    else if (event.event_type === "response_accepted")
      for (const name of namesOf(event.details["unknown_tools"])) this.#unknown.add(name);
  }

  /** Returns the reliability with an empty list of violations. */
  value(): Reliability {
    return {
      enforcement_attempts: [],
      by_round: Object.fromEntries(
        [...this.#rounds]
          .sort(([one], [other]) => one - other)
          .map(([round, { count, reasons }]) => [round, { count, reasons: [...reasons] }]),
      ),
      unknown_tools: [...this.#unknown],
      workflow_errors: [...this.#errors],
      total_enforcement_retries: this.#retries,
      total_buffer_chars_lost: this.#lost,
      outcome: this.outcome,
    };
  }

  #roundOf(round: number): Round {
    const known = this.#rounds.get(round) ?? { count: 0, reasons: new Set() };
    this.#rounds.set(round, known);
    return known;
  }

  #violate(details: JsonObject, at: number): void {
    const violation = violationIn(details, at, this.#previews);
    const { round, reason, tool_calls, buffer_chars, final } = violation;
    const seen = this.#roundOf(round);
    seen.count += 1;
    seen.reasons.add(reason);
    this.violations += 1;
    const over = isTurnOver(details);
    if (!final && !over) this.#retries += 1;
    const gone = Math.min(buffer_chars, lostCharacters(details));
    this.#lost = added(this.#lost, gone);
    this.carried = added(this.carried, buffer_chars - gone);
    if (reason === "unknown_tool") for (const name of tool_calls) this.#unknown.add(name);
    if (!NO_WORKFLOW.has(reason) && !over) this.#errors.add(reason);
    this.list.add(jsonText(violation));
  }
}

function violationIn(
  details: JsonObject,
  timestamp: number,
  previews: boolean,
): Reliability["enforcement_attempts"][number] {
  const { recovery, docker_health } = details;
  const attempt = countOf(details["attempt"]) ?? 1;
  const preview = firstCharacters(textOf(details["buffer_preview"]) ?? "", PREVIEW);
  return {
    round: countOf(details["round"]) ?? 1,
    attempt,
    max_attempts: countOf(details["max_attempts"]) ?? attempt,
    reason: textOf(details["reason"]) ?? "unknown",
    tool_calls: [...namesOf(details["tool_calls"])],
    error_message: textOf(details["error_message"]) ?? null,
    buffer_preview: (previews && preview) || null,
    buffer_chars: countOf(details["buffer_chars"]) ?? 0,
    recovery:
      recovery === "inline" || recovery === "restart" || recovery === "end" ? recovery : null,
    final: details["final"] === true,
    timestamp,
    ...(docker_health === undefined ? {} : { docker_health: objectOf(docker_health) }),
  };
}
