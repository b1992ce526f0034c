import type { LogEvent } from "@bylaw/kernel";
import { jsonText } from "./json-text.ts";
import { added, amountOf, countOf, objectOf, firstCharacters, rounded, textOf } from "./reading.ts";
import { createReliability, type ReliabilityFold, type ReliabilityOptions } from "./reliability.ts";
import type { AgentStatus } from "./schema.ts";
import { createTools } from "./tools.ts";
import type { Worker } from "./work.ts";

export interface AgentFold extends Worker {
  add(event: LogEvent, at: number): void;
  readonly reliability: ReliabilityFold;
  readonly usage: AgentStatus["token_usage"];
  /** Whether it works now, as far as the log says. */
  readonly active: boolean;
  /** Whether all its work is done. */
  readonly done: boolean;
  /** What it answered and voted; kept by the coordination of all agents. */
  readonly answers: { count: number; label: string | null };
  vote: AgentStatus["vote_cast"];
  /** The entry as JSON in UTF-8, indented as the entry of a file, in parts. They stay as they are. */
  parts(): readonly Uint8Array[];
}

const INFRASTRUCTURE = 100;
const FIELDS = [
  "input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cached_input_tokens",
] as const;

export function createAgent(options: ReliabilityOptions): AgentFold {
  const reliability = createReliability(options);
  const tools = createTools();
  const usage = {
    input_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    cached_input_tokens: 0,
    estimated_cost: 0,
  };
  const answers: AgentFold["answers"] = { count: 0, label: null };
  const infrastructure: AgentStatus["infrastructure_events"] = [];
  let vote: AgentStatus["vote_cast"] = null;
  let failures = 0;
  let restarts = 0;
  let restarting = false;
  let last: number | null = null;
  let worked = false;
  // The tasks and steps it holds; `undefined`: it never held one.
  let held: Set<string> | undefined;
  let error: AgentStatus["error"] = null;
  // What the entry was made of the last time: most agents are as they were when another one did something.
  let changes = 0;
  let made:
    | {
        readonly key: string;
        readonly vote: AgentStatus["vote_cast"];
        readonly around: readonly [Uint8Array, Uint8Array];
      }
    | undefined;

  function fail(type: string, message: string, timestamp: number): void {
    error = { type, message: firstCharacters(message, PREVIEWED), timestamp };
  }

  function statusOf(): AgentStatus["status"] {
    if (reliability.outcome === "non_compliant" || reliability.outcome === "dropped")
      return reliability.outcome;
    if (restarting) return "restarting";
    if (vote !== null) return "voted";
    if (answers.count > 0) return "answered";
    if (held !== undefined) return held.size > 0 ? "working" : "done";
    if (reliability.outcome === "ok") return "ok";
    return worked ? "working" : "waiting";
  }

  // What stands before and behind the violations.
  function around(): readonly [Uint8Array, Uint8Array] {
    const { list } = reliability;
    const value: AgentStatus = {
      status: statusOf(),
      answer_count: answers.count,
      latest_answer_label: answers.label,
      vote_cast: vote,
      times_restarted: restarts,
      last_activity: last,
      error,
      token_usage: { ...usage, estimated_cost: rounded(usage.estimated_cost, 6) },
      tool_metrics: tools.value(),
      round_timing: { round_number: reliability.round, round_start_time: reliability.entered },
      infrastructure_events: infrastructure,
      total_infrastructure_events: failures,
      enforcement_attempts_omitted: reliability.violations - list.length,
      total_buffer_chars_carried: reliability.carried,
      reliability: reliability.value(),
    };
    const text = jsonText(value, 2).replaceAll("\n", INDENT);
    // Inside of a string its quotes were escaped, and behind it stand only numbers and strings: the last one is ours.
    const at = text.lastIndexOf(EMPTY) + EMPTY.length - 1;
    return [
      encoder.encode(text.slice(0, at)),
      encoder.encode(`${list.length === 0 ? "" : "\n        "}${text.slice(at)}`),
    ];
  }

  const agent: AgentFold = {
    reliability,
    usage,
    answers,
    get active() {
      return worked && reliability.outcome === null && !agent.done;
    },
    get done() {
      return held?.size === 0;
    },
    hold(work) {
      held ??= new Set();
      held.add(work);
      changes += 1;
    },
    release(work) {
      held?.delete(work);
      changes += 1;
    },
    get vote() {
      return vote;
    },
    set vote(value) {
      vote = value;
    },
    add(event, at) {
      const { event_type, details } = event;
      last = at;
      changes += 1;
      if (event_type !== "agent_registered") worked = true;
      const before = reliability.outcome;
      reliability.add(event, at);
      // What comes after the end of a turn says nothing about how it ended.
      const ends = before !== reliability.outcome;
      tools.add(event, at);
      if (event_type === "enforcement") {
        restarting = details["recovery"] === "restart" && details["final"] !== true;
        if (restarting) restarts += 1;
        if (details["final"] === true && ends)
          fail(textOf(details["reason"]) ?? "unknown", textOf(details["error_message"]) ?? "", at);
      } else if (event_type === "response_accepted") {
        restarting = false;
        error = null;
      } else if (event_type === "agent_dropped") {
        if (ends)
          fail(textOf(details["reason"]) ?? "dropped", textOf(details["message"]) ?? "", at);
      } else if (event_type === "round_started") {
        error = null;
      } else if (event_type === "model_usage") {
        for (const field of FIELDS)
          usage[field] = added(usage[field], countOf(details[field]) ?? 0);
        usage.estimated_cost = added(usage.estimated_cost, amountOf(details["estimated_cost"]));
      } else if (event_type === "infrastructure_event") {
        failures += 1;
        infrastructure.push({
          round: countOf(details["round"]) ?? reliability.round,
          kind: textOf(details["kind"]) ?? "unknown",
          message: textOf(details["message"]) ?? null,
          timestamp: at,
          ...(details["docker_health"] === undefined
            ? {}
            : { docker_health: objectOf(details["docker_health"]) }),
        });
        if (infrastructure.length > INFRASTRUCTURE) infrastructure.shift();
      }
    },
    parts() {
      const { list } = reliability;
      const key = `${changes} ${answers.count} ${answers.label ?? ""}`;
      if (made === undefined || made.key !== key || made.vote !== vote)
        made = { key, vote, around: around() };
      return [made.around[0], ...list.parts(), made.around[1]];
    },
  };
  return agent;
}

const encoder = new TextEncoder();
const INDENT = "\n    ";
const PREVIEWED = 500;
const EMPTY = '"enforcement_attempts": []';
