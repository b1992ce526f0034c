import type { EventDraft, JsonObject, LogEvent } from "@bylaw/kernel";
import { chainEvents, type LogReader } from "@bylaw/log";

const SESSION = "6f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11";

/** A log that a test fills by hand. */
export interface GivenLog extends LogReader {
  readonly all: readonly LogEvent[];
  /** Appends `count` events, or these, and returns them. */
  add(what?: number | readonly JsonObject[], timestamp?: string): readonly LogEvent[];
}

export function givenLog(run = "run-1", seed = ""): GivenLog {
  const all: LogEvent[] = [];
  return {
    run,
    session: SESSION,
    all,
    add(what = 1, timestamp = "2026-01-17T09:00:00Z") {
      const details =
        typeof what === "number"
          ? Array.from({ length: what }, (_, index) => ({ seed, number: all.length + index + 1 }))
          : what;
      const drafts = details.map((of, index): EventDraft => {
        const event_type = all.length + index === 0 ? "session_start" : "tool_result";
        return {
          timestamp,
          session_id: SESSION,
          event_type,
          agent_id: "a1",
          task_id: null,
          details: of,
        };
      });
      const added = chainEvents(all.at(-1), drafts);
      all.push(...added);
      return added;
    },
    events: async (after, limit) => all.slice(after, after + limit),
  };
}
