import { isBylawError } from "@bylaw/config";
import { BylawError } from "@bylaw/kernel";
import { plain } from "../text.ts";

/** Somebody who may not say it: no operator, the wrong name or role, or the agent itself. */
export const unauthorized = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNAUTHORIZED", message: plain(message), fix: plain(fix) });

/** Nothing waits under that id. */
export const nothingOpen = (id: string): BylawError =>
  new BylawError({
    code: "BYLAW_APPROVAL_MISSING",
    message: plain(`Unexpected id \`${id}\`, expected one of a question that is open`),
    fix: "it was answered, or is about something else by now: `bylaw approve list` says what is open",
  });

/** A question that a yes would not answer. */
export const unanswerable = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNFIT", message: plain(message), fix: plain(fix) });

const REFUSED: ReadonlySet<string> = new Set([
  "BYLAW_APPROVAL_UNAUTHORIZED",
  "BYLAW_APPROVAL_MISSING",
  "BYLAW_APPROVAL_UNFIT",
  "BYLAW_GATE_NOT_OPEN",
  "BYLAW_EVENT_REFUSED",
]);

/** Whether an error says that it may not be so, and not that the command or its files are at fault. */
export const isRefusal = (error: unknown): boolean => isBylawError(error) && REFUSED.has(error.code);
