import {
  BylawError,
  freezeJson,
  isJsonObject,
  type EventDraft,
  type Kernel,
  type KernelApi,
} from "@bylaw/kernel";
import { StoreConflict, type Claim } from "@bylaw/store";
import { quote } from "@bylaw/wording";
import { refusalOf, type LogState } from "../state/log-state.ts";

type Redactor = Parameters<KernelApi["redact"]>[0];

/** Applies a redactor to an event. Throws BYLAW_EVENT_INVALID if its result is not an object. */
export function redacted(event: EventDraft, redact: Redactor): EventDraft {
  const left = freezeJson(redact(event));
  if (isJsonObject(left)) return Object.freeze({ ...event, details: left });
  const message = `A redactor did not return an object as the details of \`${event.event_type}\``;
  throw new BylawError({ code: "BYLAW_EVENT_INVALID", message });
}

/** The error for a claim that got a task of another run. */
export const otherRun = ({ task, run: other }: Omit<Claim, "event">, run: string): BylawError =>
  new BylawError({
    code: "BYLAW_EVENT_REFUSED",
    message: `The queue holds task ${quote(task)} of run ${quote(other)}, which run ${quote(run)} cannot claim`,
    fix: "Give each run a queue of its own",
  });

/** The conflict with a writer that was faster. */
export const conflict = (): StoreConflict =>
  new StoreConflict("seen", "Another writer has added an event");

/** The error of a session whose run another session has taken over. */
export const superseded = (session: string, current: string): BylawError =>
  new BylawError({
    code: "BYLAW_RUN_SUPERSEDED",
    message: `Session \`${current}\` has taken the run over from session \`${session}\``,
    fix: "Open the run again, or join the session that has it",
  });

/** Throws BYLAW_EVENT_REFUSED if a guard refuses one of the drafts. */
export function guardRefusal(
  guards: Kernel["declared"]["guards"],
  state: LogState,
  drafts: readonly EventDraft[],
): void {
  const refusal = refusalOf(guards, state, drafts);
  if (refusal === undefined) return;
  const { draft, rule, guard, message } = refusal;
  throw new BylawError({
    code: "BYLAW_EVENT_REFUSED",
    message: `\`${draft.event_type}\` was not recorded: ${message}`,
    fix: `See rule ${rule} of ${guard}`,
  });
}
