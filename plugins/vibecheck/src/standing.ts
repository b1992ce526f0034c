import { defineProjection, isJsonObject, type JsonObject, type LogEvent } from "@bylaw/kernel";

/** How a task stands with its oversight. */
export interface Standing extends JsonObject {
  /** The highest risk since a person last took note; asking again does not lower it. */
  readonly risk: number;
  /** Why the last oversight failed; `null`: it did not. */
  readonly failed: string | null;
  /** Calls that ran since the last oversight. */
  readonly calls: number;
  /** Whether there was an oversight since the phase was entered. */
  readonly seen: boolean;
  /** Who asked last. */
  readonly asked: string | null;
}

type Standings = Readonly<Record<string, Standing>>;

const NOTHING: Standing = { risk: 0, failed: null, calls: 0, seen: false, asked: null };

/** The standing of each task, by the log. */
export const oversight = defineProjection<Standings>({
  name: "@bylaw/plugin-vibecheck/standing",
  version: 1,
  initial: {},
  reduce(state, event) {
    const before = standingOf(state, event.task_id);
    const after = next(before, event);
    return after === before ? state : { ...state, [keyOf(event.task_id)]: after };
  },
});

/** How one task stands; `null`: what belongs to no task. */
export const standingOf = (state: Standings, task: string | null): Standing =>
  (Object.hasOwn(state, keyOf(task)) ? state[keyOf(task)] : undefined) ?? NOTHING;

const keyOf = (task: string | null): string => JSON.stringify(task);

function next(before: Standing, { event_type, agent_id, details }: LogEvent): Standing {
  switch (event_type) {
    case "tool_allowed":
      return { ...before, calls: before.calls + 1 };
    case "phase_entered":
      return before.seen ? { ...before, seen: false } : before;
    case "behavior_applied":
      return details["action"] === "vibecheck" ? { ...before, asked: agent_id } : before;
    case "oversight_failed":
      return { ...before, failed: String(details["error"]) };
    case "oversight_given": {
      const verdict = details["verdict"] ?? null;
      const risk = isJsonObject(verdict) ? Number(verdict["risk"]) : 1;
      return { ...before, risk: Math.max(before.risk, risk), failed: null, calls: 0, seen: true };
    }
    case "oversight_acknowledged":
      return { ...before, risk: 0, failed: null };
    default:
      return before;
  }
}
