import { createHash } from "node:crypto";
import type { Kernel } from "@bylaw/kernel";

/** Whether a plugin reads past events or keeps a record. Only then does a call cost an event in a store. */
export const needsRun = ({ declared: { projections, sinks } }: Kernel): boolean =>
  projections.length + sinks.length > 0;

const PLAIN = /^[A-Za-z0-9][\w-]{0,99}$/;

/** The run of a session. The name is no path and belongs to this session only, whatever the host calls the session. */
export function runOfSession(host: string, session = ""): string {
  if (PLAIN.test(session)) return `${host}-${session}`;
  // In UTF-16, because UTF-8 turns all lone surrogates into the same bytes, and two sessions would share a name.
  const digest = createHash("sha256").update(Buffer.from(session, "utf16le")).digest("hex");
  return `${host}-~${digest.slice(0, 32)}`;
}
