import { createHash } from "node:crypto";
import type { Kernel } from "@bylaw/kernel";

/** Whether a plugin reads what happened before, or keeps a record of it. Only then a call costs an event in a store. */
export const needsRun = ({ declared: { projections, sinks } }: Kernel): boolean =>
  projections.length + sinks.length > 0;

const PLAIN = /^[A-Za-z0-9][\w-]{0,99}$/;

/** The name of the run of a session. Whatever a host calls its session, it is no path, and never the name of another session. */
export function runOfSession(host: string, session = ""): string {
  if (PLAIN.test(session)) return `${host}-${session}`;
  // Over UTF-16: UTF-8 has one form for all halves of characters.
  const digest = createHash("sha256").update(Buffer.from(session, "utf16le")).digest("hex");
  return `${host}-~${digest.slice(0, 32)}`;
}
