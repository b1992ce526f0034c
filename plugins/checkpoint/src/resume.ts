import { BylawError, type LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { openCheckpoints } from "./paused.ts";

/** Who ends a pause, and what goes on. */
export interface Resumption {
  readonly checkpoint: number;
  /** A person's name, or a system's; not that of the agent which asked for the pause. */
  readonly by: string;
  /** The fingerprint of the workflow as it is now. */
  readonly definition?: string;
  /** Goes on although the workflow is not the one that was paused. */
  readonly migrate?: boolean;
}

/**
 * Ends a pause and puts it on record; also in another process and on another machine, because the pause is in the log. Throws
 * BYLAW_CHECKPOINT_CHANGED where the workflow is another than the one that was paused, and BYLAW_EVENT_REFUSED where the pause is not open or its
 * own agent would end it.
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
      fix: "Take the old definition back, or migrate",
    });
  const details = { checkpoint, by, definition: definition ?? null, migrated: changed };
  return run.record([
    { event_type: "checkpoint_resumed", agent_id: null, task_id: open?.task ?? null, details },
  ]);
}
