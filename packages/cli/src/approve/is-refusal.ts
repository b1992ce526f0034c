import { isBylawError } from "@bylaw/config";

const REFUSED: ReadonlySet<string> = new Set([
  "BYLAW_APPROVAL_UNAUTHORIZED",
  "BYLAW_APPROVAL_MISSING",
  "BYLAW_APPROVAL_UNFIT",
  "BYLAW_GATE_NOT_OPEN",
  "BYLAW_EVENT_REFUSED",
]);

/** Whether an error refuses the answer. False for a wrong command line or a file that cannot be used. */
export const isRefusal = (error: unknown): boolean =>
  isBylawError(error) && REFUSED.has(error.code);
