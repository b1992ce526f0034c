import { present, type Json, type LogEvent, type ToolCall } from "@bylaw/kernel";

/** What the log has of a call. */
export interface RecordedCall {
  readonly call?: ToolCall;
  /** Why the call cannot be asked about again; left out where it can. */
  readonly not_replayable?: string;
}

const FIELDS = [
  ...["id", "tool", "server", "servers", "args", "annotations", "cwd", "workspace", "home"],
  ...["approval_mode", "interactive", "phase"],
];

/** The call of an event about one, as it was asked about, or why it is not all there. */
export function callIn({ details, agent_id, task_id, timestamp }: LogEvent): RecordedCall {
  const { tool, args } = details;
  if (typeof tool !== "string") return { not_replayable: "the call was refused before it was a call" };
  if (Array.isArray(details["redacted"]) || isRedacted(details["args"] ?? null))
    return { not_replayable: "parts of the call were redacted" };
  if (typeof args !== "object" || args === null) return { not_replayable: "its arguments are not in the log" };
  const fields = Object.fromEntries(FIELDS.map((name) => [name, details[name]]));
  const call = present({ ...fields, agent: agent_id ?? undefined, task: task_id ?? undefined, at: timestamp, hook: "beforeToolCall" });
  return { call: call as unknown as ToolCall };
}

// What a log keeps of a redacted value is an object with nothing but `redacted`.
function isRedacted(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]?.[0] === "redacted" && !Array.isArray(value)) return true;
  return entries.some(([, item]) => isRedacted(item as Json));
}
