import type { LogEvent } from "@bylaw/kernel";
import { countOf, objectOf, preview, textOf, textsOf } from "./reading.ts";
import { jsonText } from "./json-text.ts";
import type { Reliability } from "./schema.ts";

/** How the turns of an agent came out. */
type Outcome = Reliability["outcome"];

/** What is kept of every violation. */
export interface ReliabilityOptions {
  /** How many violations are listed for an agent, the last ones; `undefined`: all. Totals count all in any case. */
  readonly keep: number | undefined;
  /** Whether what an agent was writing is shown. */
  readonly previews: boolean;
}

/** Follows the violations of one agent. */
export interface ReliabilityFold {
  add(event: LogEvent, at: number): void;
  readonly outcome: Outcome;
  /** The round that the agent is in; 0 before the first. */
  readonly round: number;
  /** Unix seconds at which the agent entered that round. */
  readonly entered: number | null;
  /** Characters that a retry began with, so that they were not lost. */
  readonly carried: number;
  /** How many violations there were. */
  readonly violations: number;
  /** Without the listed violations. */
  value(): Reliability;
  /** The listed violations, each as one line of JSON. */
  lines(): readonly string[];
}

/** Longest preview of a response, in characters. */
const PREVIEW = 500;

// These say that no workflow tool was called, or none that exists; every other reason is an error in the use of one.
const NO_WORKFLOW: ReadonlySet<string> = new Set(["no_workflow_tool", "no_tool_calls", "unknown_tool"]);

interface Round {
  count: number;
  readonly reasons: Set<string>;
}

/** Folds what an agent's responses came to. */
export function createReliability({ keep, previews }: ReliabilityOptions): ReliabilityFold {
  const rounds = new Map<number, Round>();
  const unknown = new Set<string>();
  const errors = new Set<string>();
  const lines: string[] = [];
  let retries = 0;
  let lost = 0;
  let carried = 0;
  let outcome: Outcome = null;
  let current = 0;
  let entered: number | null = null;

  function enter(round: number, at: number): Round {
    if (round > current || entered === null) {
      current = Math.max(current, round);
      entered = at;
    }
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
    const names = textsOf(tool_calls);
    const seen = enter(round, at);
    seen.count += 1;
    seen.reasons.add(reason);
    retries += 1;
    // What goes on in the same stream, or into the retry, is not lost.
    const kept = recovery === "inline" ? chars : Math.min(chars, countOf(details["buffer_carried"]) ?? 0);
    carried += kept;
    lost += chars - kept;
    for (const name of reason === "unknown_tool" && details["unknown_tools"] === undefined ? names : textsOf(details["unknown_tools"])) {
      unknown.add(name);
    }
    if (!NO_WORKFLOW.has(reason)) errors.add(reason);
    outcome = final ? "non_compliant" : null;
    const shown = previews ? preview(textOf(buffer_preview) ?? "", PREVIEW) : "";
    lines.push(
      jsonText({
        ...{ round, attempt, max_attempts: countOf(details["max_attempts"]) ?? attempt, reason, tool_calls: names },
        ...{ error_message: textOf(error_message) ?? null, buffer_preview: shown === "" ? null : shown, buffer_chars: chars },
        ...{ recovery: recovery === "inline" || recovery === "restart" || recovery === "end" ? recovery : null, final, timestamp: at },
        ...(docker_health === undefined ? {} : { docker_health: objectOf(docker_health) }),
      }),
    );
    if (keep !== undefined && lines.length > 2 * keep + 100) lines.splice(0, lines.length - keep);
  }

  return {
    add(event, at) {
      const { event_type, details } = event;
      if (event_type === "enforcement") violate(event, at);
      else if (event_type === "response_accepted") {
        enter(countOf(details["round"]) ?? 1, at);
        for (const name of textsOf(details["unknown_tools"])) unknown.add(name);
        outcome = "ok";
      } else if (event_type === "agent_dropped") outcome = "dropped";
      else if (event_type === "round_started") {
        enter(countOf(details["round"]) ?? current + 1, at);
        outcome = null;
      }
    },
    get outcome() {
      return outcome;
    },
    get round() {
      return current;
    },
    get entered() {
      return entered;
    },
    get carried() {
      return carried;
    },
    get violations() {
      return retries;
    },
    lines: () => (keep === undefined ? lines : lines.slice(Math.max(0, lines.length - keep))),
    value: () => ({
      enforcement_attempts: [],
      by_round: Object.fromEntries(
        [...rounds].sort(([one], [other]) => one - other).map(([round, { count, reasons }]) => [round, { count, reasons: [...reasons] }]),
      ),
      unknown_tools: [...unknown],
      workflow_errors: [...errors],
      total_enforcement_retries: retries,
      total_buffer_chars_lost: lost,
      outcome,
    }),
  };
}
