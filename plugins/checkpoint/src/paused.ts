import { defineProjection, isJsonObject, type JsonObject, type View } from "@bylaw/kernel";

/** A pause that nobody has ended yet. */
export interface OpenCheckpoint extends JsonObject {
  /** The sequence of the event that began the pause. It also names the pause. */
  readonly checkpoint: number;
  readonly task: string | null;
  readonly agent: string | null;
  readonly step: string | null;
  readonly reason: string | null;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** The host's fingerprint of the paused workflow. */
  readonly definition: string | null;
}

/** The pauses of a run, oldest first, from the log. */
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
 * The pause that holds a caller: a pause of the run, of the caller's task, or of the agent itself, whatever task it names. A caller
 * without a name may be any agent, so every agent's pause holds it.
 */
export const pauseOf = (
  view: View,
  { task, agent }: { readonly task?: string | undefined; readonly agent?: string | undefined },
): OpenCheckpoint | undefined =>
  view(openCheckpoints).find(
    (open) =>
      open.task === null || open.task === task || agent === undefined || open.agent === agent,
  );
