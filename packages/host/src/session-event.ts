import { omitUndefined, type JsonObject } from "@bylaw/kernel";
import { stringField } from "./call.ts";

/** Something that happened in a session of a host. Nobody is asked about it; it is only recorded. */
export interface SessionEvent {
  readonly kind: "session_event";
  readonly name: string;
  readonly type: SessionEventType;
  readonly session: string;
  /** The sub-agent that it is about. */
  readonly agent?: string;
  /** The host's id of the event. The same event is recorded once. */
  readonly id?: string;
  /** What a person, or the agent above a sub-agent, asked for. */
  readonly prompt?: string;
  /** In the host's words: how a session began, why it ended, or the type of a sub-agent. */
  readonly details: Readonly<Record<string, string>>;
}

/** The type under which it is recorded. */
export type SessionEventType =
  | "host_session_started"
  | "host_session_ended"
  | "prompt_submitted"
  | "subagent_started"
  | "subagent_stopped"
  | "stop_gate_gave_up"
  | "forbidden_call_ran";

const TYPES: Readonly<Record<string, readonly [type: SessionEventType, detail: string]>> = {
  SessionStart: ["host_session_started", "source"],
  SessionEnd: ["host_session_ended", "reason"],
  UserPromptSubmit: ["prompt_submitted", ""],
  SubagentStart: ["subagent_started", "agent_type"],
  SubagentStop: ["subagent_stopped", "agent_type"],
};
const IDS = ["id", "timestamp", "prompt_id", "turn_id"];
/** The longest detail, in UTF-16 units. */
export const MAX_DETAIL_LENGTH = 200;

/**
 * Reads an event of a session with the names and keys of Claude Code, which most hosts share. Returns undefined for any other event.
 * `named`: the name that Claude Code would use, if the host uses another.
 */
export function readSessionEvent(
  input: JsonObject,
  name: string,
  named = name,
): SessionEvent | undefined {
  const [type, key = ""] = (Object.hasOwn(TYPES, named) && TYPES[named]) || [];
  if (type === undefined) return undefined;
  const ids = IDS.map((id) => input[id]).filter((id) => ["string", "number"].includes(typeof id));
  const detail = stringField(input, key)?.slice(0, MAX_DETAIL_LENGTH);
  const prompt = stringField(input, "prompt") ?? "";
  return {
    ...{ kind: "session_event", name, type, session: stringField(input, "session_id") ?? "" },
    details: detail === undefined ? {} : { [key]: detail },
    ...omitUndefined({
      agent: stringField(input, "agent_id"),
      id: ids.length === 0 ? undefined : ids.join(" "),
      prompt: type === "prompt_submitted" ? prompt : undefined,
    }),
  };
}
