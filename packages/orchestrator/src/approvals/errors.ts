import { BylawError } from "@bylaw/kernel";

/** Somebody who may not say it: no operator, the wrong name or role, or the agent itself. */
export const unauthorized = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNAUTHORIZED", message, fix });

/** Nothing waits under that id. */
export const nothingOpen = (id: string): BylawError =>
  new BylawError({
    code: "BYLAW_APPROVAL_MISSING",
    message: `No open question has the id \`${id}\``,
    fix: "It may have been answered or asked again. List what is open.",
  });

/** A question that such an answer would not answer. */
export const unanswerable = (message: string, fix: string): BylawError =>
  new BylawError({ code: "BYLAW_APPROVAL_UNFIT", message, fix });
