import type { EventDraft, JsonObject, LogEvent } from "@bylaw/kernel";
import { chainEvents, type LogReader } from "@bylaw/log";
import { createStatus, type AgentStatus, type Status, type StatusOptions } from "../src/index.ts";

const SESSION = "6f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11";
const BEGIN = Date.parse("2026-01-17T09:00:00Z");

/** The parts of an event that a test gives. */
export type Sketch = readonly [
  event_type: string,
  agent: string | null,
  details?: JsonObject,
  task?: string,
];

/** Drafts of events, one second apart. */
export const drafts = (sketches: readonly Sketch[], begin = 0): readonly EventDraft[] =>
  sketches.map(([event_type, agent_id, details = {}, task_id = null], index) => ({
    timestamp: new Date(BEGIN + (begin + index) * 1_000).toISOString(),
    session_id: SESSION,
    event_type,
    agent_id,
    task_id,
    details,
  }));

/** A chained log that begins with a session. */
export const logOf = (...sketches: readonly Sketch[]): readonly LogEvent[] =>
  chainEvents(
    undefined,
    drafts([["session_start", null, { plan_file: "plan.md", total_tasks: 3 }], ...sketches]),
  );

/** The status after a log. */
export function statusOf(events: readonly LogEvent[], options: StatusOptions = {}): Status {
  const status = createStatus(options);
  status.add(events);
  return status.value();
}

/** One agent after a log. */
export function agentOf(
  events: readonly LogEvent[],
  id = "agent_a",
  options: StatusOptions = {},
): AgentStatus {
  const agent = statusOf(events, options).agents[id];
  if (agent === undefined)
    throw new Error(`Unexpected log without ${id}, expected the agent in it`);
  return agent;
}

/** The details of a violation. */
export const violation = (more: JsonObject = {}): JsonObject => ({
  round: 1,
  attempt: 1,
  max_attempts: 3,
  reason: "unknown_tool",
  tool_calls: ["execute_command"],
  error_message: "Retry (1/3): Called execute_command (not workflow). Required: vote or new_answer",
  buffer_preview: "I should read",
  buffer_chars: 13,
  recovery: "restart",
  final: false,
  ...more,
});

/** A log that a test fills by hand. */
export interface GivenLog extends LogReader {
  readonly all: readonly LogEvent[];
  /** Appends events and returns them. */
  add(...sketches: readonly Sketch[]): readonly LogEvent[];
}

export function givenLog(run = "run-1"): GivenLog {
  const all: LogEvent[] = [];
  return {
    run,
    session: SESSION,
    all,
    add(...sketches) {
      const added = chainEvents(all.at(-1), drafts(sketches, all.length));
      all.push(...added);
      return added;
    },
    events: async (after, limit) => all.slice(after, after + limit),
  };
}

export const noView = (): never => {
  throw new Error("a status needs no view");
};
