import { hash } from "node:crypto";
import type { EventType, RecordableEvent } from "@bylaw/log";
import { z } from "zod";
import { MAX_DETAIL_LENGTH, type SessionEvent, type SessionEventType } from "./session-event.ts";

export { MAX_DETAIL_LENGTH };

const text = z.string().max(MAX_DETAIL_LENGTH);

const typeOf = (name: SessionEventType, details: z.ZodRawShape): EventType => ({
  name,
  details: z.strictObject({ host: text, ...details }),
});

/** The event types of a host's session, besides those of its calls. */
export const EVENT_TYPES: readonly EventType[] = [
  typeOf("host_session_started", { source: text.optional() }),
  typeOf("host_session_ended", { reason: text.optional() }),
  // Only a digest, because the text may hold secrets. It proves a text that is kept elsewhere, such as in the host's own transcript.
  typeOf("prompt_submitted", { digest: text, bytes: z.int().nonnegative() }),
  typeOf("subagent_started", { agent_type: text.optional() }),
  typeOf("subagent_stopped", { agent_type: text.optional() }),
  typeOf("stop_gate_gave_up", {}),
  // `args` is the beginning of their canonical JSON text.
  typeOf("forbidden_call_ran", { tool: text, args: text, code: text }),
];

/** The event that records what happened in a session of a host. */
export function recordOf(
  { type, agent, prompt, details }: SessionEvent,
  host: string,
): RecordableEvent {
  const digested =
    prompt === undefined
      ? {}
      : { digest: `sha256:${hash("sha256", prompt, "hex")}`, bytes: Buffer.byteLength(prompt) };
  return {
    ...{ event_type: type, agent_id: agent ?? null, task_id: null },
    details: { host, ...details, ...digested },
  };
}
