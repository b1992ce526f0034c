import { BylawError, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { RecordableEvent, RecordOptions } from "@bylaw/log";
import type { WorkflowOptions } from "./options.ts";

/** An event of a workflow. It belongs to no task. */
export const draft = (
  event_type: string,
  agent_id: string | null,
  details: JsonObject,
): RecordableEvent => ({ event_type, agent_id, task_id: null, details });

/** Records events and notifies listeners. Throws what the run throws. */
export async function record(
  { run, onEvents }: Pick<WorkflowOptions, "run" | "onEvents">,
  drafts: readonly RecordableEvent[],
  options?: RecordOptions,
): Promise<void> {
  const events: readonly LogEvent[] = await run.record(drafts, options);
  onEvents?.(events);
}

/** An object of plain data as details. */
export const json = (value: object): JsonObject => ({ ...value }) as JsonObject;

/** The error for something that happened but was not recorded. */
export const unrecorded = (reason: string): BylawError =>
  new BylawError({ code: "BYLAW_EVENT_REFUSED", message: reason });
