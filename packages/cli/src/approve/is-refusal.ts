import { isBylawError } from "@bylaw/config";

const REFUSED: ReadonlySet<string> = new Set([
  "BYLAW_APPROVAL_UNAUTHORIZED",
  "BYLAW_APPROVAL_MISSING",
  "BYLAW_APPROVAL_UNFIT",
  "BYLAW_GATE_NOT_OPEN",
  "BYLAW_EVENT_REFUSED",
]);

/** Whether an error says that it may not be so, and not that the command or its files are at fault. */
export const isRefusal = (error: unknown): boolean =>
  isBylawError(error) && REFUSED.has(error.code);
