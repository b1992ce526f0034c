import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { ANCHOR_TYPE, chainEvents, formatEventLine } from "@bylaw/log";

export const SESSION = "11111111-1111-4111-8111-111111111111";

/** The draft of event `second`, one second after the one before it. */
export const draft = (
  second: number,
  event_type: string,
  more: Partial<EventDraft> = {},
): EventDraft => ({
  timestamp: new Date(Date.parse("2026-01-17T09:00:00Z") + second * 1_000).toISOString(),
  session_id: SESSION,
  event_type,
  agent_id: null,
  task_id: null,
  details: {},
  ...more,
});

/** A chained log: its first event and `more` others. */
export function eventsOf(more: number, type = "usage_check"): readonly LogEvent[] {
  const rest = Array.from({ length: more }, (_, index) =>
    draft(index + 1, type, { details: { remaining: index } }),
  );
  return chainEvents(undefined, [
    draft(0, "session_start", { details: { plan_file: "plan.md", total_tasks: 1 } }),
    ...rest,
  ]);
}

/** The text of a log. */
export const logOf = (events: readonly LogEvent[]): string =>
  events.map((event) => `${formatEventLine(event)}\n`).join("");

/** The first line of a rotated file. */
export const anchorOf = (
  { timestamp, sequence, session_id, hash }: LogEvent,
  previous_file: string,
): string =>
  `${formatEventLine({ timestamp, sequence, session_id, event_type: ANCHOR_TYPE, agent_id: null, task_id: null, details: { previous_file }, ...(hash === undefined ? {} : { hash }) })}\n`;

/** A log as a rotation leaves it: several files, cut after these numbers of events. */
export function rotated(
  events: readonly LogEvent[],
  ...cuts: readonly number[]
): Readonly<Record<string, string>> {
  const ends = [...cuts, events.length];
  return Object.fromEntries(
    ends.map((end, index) => {
      const begin = cuts[index - 1] ?? 0;
      const last = events[begin - 1];
      const before = index > 1 ? `log-${index - 1}.jsonl` : "log-0.jsonl";
      const head = last === undefined ? "" : anchorOf(last, index === 1 ? "log-0.jsonl" : before);
      return [
        index === ends.length - 1 ? "log.jsonl" : `log-${index}.jsonl`,
        head + logOf(events.slice(begin, end)),
      ];
    }),
  );
}
