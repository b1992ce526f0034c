import { BylawError, StoreConflict, freezeJson, isJsonObject, type Claim, type EventDraft, type Redactor } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { fieldFits } from "./codec/envelope.ts";
import type { impossible } from "./fold.ts";

/** What a redactor leaves of an event. Throws BYLAW_EVENT_INVALID where that is no object. */
export function redacted(event: EventDraft, redact: Redactor): EventDraft {
  const left = freezeJson(redact(event));
  if (isJsonObject(left)) return Object.freeze({ ...event, details: left });
  const message = `Unexpected details of \`${event.event_type}\` that a redactor left, expected an object`;
  throw new BylawError({ code: "BYLAW_EVENT_INVALID", message });
}

/** Whether a clock says what a log can hold. */
export const isTime = (at: unknown): at is string =>
  typeof at === "string" && fieldFits({ timestamp: at }, "timestamp") && !Number.isNaN(Date.parse(at));

export function timeless(at: unknown): BylawError {
  const message = `Unexpected time ${quote(String(at))} of the clock, expected an RFC 3339 time`;
  return new BylawError({
    code: "BYLAW_EVENT_INVALID",
    message,
    fix: "let `now` of the run return one, such as `new Date().toISOString()`",
  });
}

/** A claim of a task that is another run's. */
export const strange = ({ task, run: other }: Omit<Claim, "event">, run: string): BylawError => {
  const message = `Unexpected task ${quote(task)} of run ${quote(other)} in the queue, expected one of ${quote(run)}`;
  return new BylawError({ code: "BYLAW_EVENT_REFUSED", message, fix: "let no two runs share a queue" });
};

/** What others wrote came first. */
export const late = (): StoreConflict => new StoreConflict("seen", "Unexpected event of another writer");

/** What a guard says of an event that is impossible. */
export function refusal({ draft, rule, guard, message }: NonNullable<ReturnType<typeof impossible>>): BylawError {
  const text = `Unexpected event \`${draft.event_type}\`: ${message}`;
  return new BylawError({ code: "BYLAW_EVENT_REFUSED", message: text, fix: `see rule ${rule} of ${guard}` });
}
