import { defineProjection, isJsonObject, type JsonObject, type View } from "@bylaw/kernel";

/** A pause that nobody ended yet. */
export interface OpenCheckpoint extends JsonObject {
  /** Sequence of the event that began it; its name. */
  readonly checkpoint: number;
  readonly task: string | null;
  readonly agent: string | null;
  readonly step: string | null;
  readonly reason: string | null;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** The fingerprint of the workflow that was paused, as the host said. */
  readonly definition: string | null;
}

/** The pauses of a run, oldest first, as the log says. */
export const openCheckpoints = defineProjection<readonly OpenCheckpoint[]>({
  name: "@bylaw/plugin-checkpoint/open",
  version: 1,
  scope: "task",
  initial: [],
  reduce(state, { event_type, sequence, timestamp, task_id, agent_id, details }) {
    if (event_type === "checkpoint_resumed")
      return state.filter(({ checkpoint }) => checkpoint !== details["checkpoint"]);
    const directive = event_type === "behavior_applied" ? (details["directive"] ?? null) : null;
    if (!isJsonObject(directive) || directive["action"] !== "checkpoint") return state;
    const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
    const opened: OpenCheckpoint = {
      checkpoint: sequence,
      task: task_id,
      agent: agent_id,
      step: text(details["step"]),
      reason: text(details["reason"]),
      at: timestamp,
      definition: text(directive["definition"]),
    };
    return [...state, opened];
  },
});

/**
 * The pause that holds somebody: one of the run, of their task, or of their own, whatever task they name. Who names no agent could be
 * anybody, and is held by any.
 */
export const pauseOf = (
  view: View,
  { task, agent }: { readonly task?: string | undefined; readonly agent?: string | undefined },
): OpenCheckpoint | undefined =>
  view(openCheckpoints).find(
    (open) =>
      open.task === null || open.task === task || agent === undefined || open.agent === agent,
  );
