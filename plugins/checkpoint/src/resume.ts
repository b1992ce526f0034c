import { BylawError, type LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { openCheckpoints } from "./paused.ts";

/** The person or system that ends a pause, and the workflow that continues. */
export interface Resumption {
  readonly checkpoint: number;
  /** The name of a person or system. It must not be the agent that asked for the pause. */
  readonly by: string;
  /** The fingerprint of the workflow as it is now. */
  readonly definition?: string;
  /** Continues even if the workflow has changed since the pause. */
  readonly migrate?: boolean;
}

/**
 * Ends a pause and records that. It works from any process and machine, because the pause is in the log. Throws BYLAW_CHECKPOINT_CHANGED if the
 * workflow has changed since the pause, and BYLAW_EVENT_REFUSED if the pause is not open or its own agent tries to end it.
 */
export async function resumeCheckpoint(
  run: Run,
  { checkpoint, by, definition, migrate = false }: Resumption,
): Promise<readonly LogEvent[]> {
  const open = run.view(openCheckpoints).find((one) => one.checkpoint === checkpoint);
  const changed =
    open !== undefined && open.definition !== null && open.definition !== (definition ?? null);
  if (changed && !migrate)
    throw new BylawError({
      code: "BYLAW_CHECKPOINT_CHANGED",
      message: `The workflow has changed since it was paused at checkpoint ${checkpoint}`,
      fix: "Restore the old definition, or migrate",
    });
  const details = { checkpoint, by, definition: definition ?? null, migrated: changed };
  return run.record([
    { event_type: "checkpoint_resumed", agent_id: null, task_id: open?.task ?? null, details },
  ]);
}
