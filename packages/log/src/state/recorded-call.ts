import { createHash } from "node:crypto";
import {
  canonicalJson,
  isJsonObject,
  omitUndefined,
  type Json,
  type LogEvent,
  type ToolCall,
} from "@bylaw/kernel";

/** The events of a decision about a call. */
export const CALL_EVENTS: ReadonlySet<string> = new Set([
  "tool_asked",
  "tool_allowed",
  "tool_denied",
]);

// A call that was denied because nobody was there to approve it. A yes still lets the next one pass.
const UNANSWERED: ReadonlySet<string> = new Set(["approval_unavailable", "approval_expired"]);

/** Whether an event is a question about a call that a person can answer. */
export function asksPerson({ event_type, details: { decision } }: LogEvent): boolean {
  const code = isJsonObject(decision) ? decision["code"] : undefined;
  return (
    event_type === "tool_asked" || (CALL_EVENTS.has(event_type) && UNANSWERED.has(String(code)))
  );
}

/** When a question expires, in milliseconds since 1970. `undefined` if it does not. */
export const questionExpiry = ({ details: { expires_at } }: LogEvent): number | undefined =>
  typeof expires_at === "string" ? Date.parse(expires_at) : undefined;

/** A key that is equal for repeated decisions about the same call, as far as the log has the call. */
export function callKey({ agent_id, task_id, details }: LogEvent): string {
  const { tool = null, server = null, args = null, cwd = null } = details;
  return canonicalJson([agent_id, task_id, tool, server, args, cwd]);
}

/** The hash of {@link callKey}. Arguments may be large, so this is what to keep of a call. */
export const callHash = (event: LogEvent): string =>
  createHash("sha256").update(callKey(event)).digest("base64");

/** A call as the log has it. */
export interface RecordedCall {
  readonly call?: ToolCall;
  /** Why the call cannot be asked about again. Left out if it can. */
  readonly not_replayable?: string;
}

const FIELDS = [
  ...["id", "tool", "server", "servers", "args", "annotations", "cwd", "workspace", "home"],
  ...["approval_mode", "interactive", "phase"],
];

/** The call in an event, as it was asked about, or why the log does not have all of it. */
export function readRecordedCall({
  details,
  agent_id,
  task_id,
  timestamp,
}: LogEvent): RecordedCall {
  const { tool, args } = details;
  if (typeof tool !== "string") return { not_replayable: "the call was malformed and was refused" };
  if (Array.isArray(details["redacted"]) || isRedacted(details["args"] ?? null))
    return { not_replayable: "parts of the call were redacted" };
  if (typeof args !== "object" || args === null)
    return { not_replayable: "its arguments are not in the log" };
  const fields = Object.fromEntries(FIELDS.map((name) => [name, details[name]]));
  const call = omitUndefined({
    ...fields,
    agent: agent_id ?? undefined,
    task: task_id ?? undefined,
    at: timestamp,
    hook: "beforeToolCall",
  });
  return { call: call as unknown as ToolCall };
}

// A redacted value is an object whose only key is `redacted`.
function isRedacted(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]?.[0] === "redacted" && !Array.isArray(value)) return true;
  return entries.some(([, item]) => isRedacted(item as Json));
}
