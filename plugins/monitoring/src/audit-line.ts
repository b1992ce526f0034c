import { isJsonObject, omitUndefined, type LogEvent } from "@bylaw/kernel";

/** The events of tool calls, with the details that each line shows. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  tool_allowed: ["id", "tool", "args", "phase"],
  tool_asked: ["id", "tool", "args", "phase"],
  tool_denied: ["id", "tool", "args", "phase"],
  tool_result: ["id", "tool", "ok"],
};

/** The line of a tool call for the file that `audit_log` of the contract names; undefined for other events. */
export function auditLine(run: string, event: LogEvent): object | undefined {
  const { timestamp, sequence, event_type, task_id, agent_id, details } = event;
  if (!Object.hasOwn(CALLS, event_type)) return undefined;
  const { decision } = details;
  const { code, reason } = isJsonObject(decision) ? decision : {};
  const fields = (CALLS[event_type] ?? []).map((name) => [name, details[name]] as const);
  return {
    ...{ timestamp, run, sequence, event: event_type, task: task_id, agent: agent_id },
    ...omitUndefined({ ...Object.fromEntries(fields), code, reason }),
  };
}
