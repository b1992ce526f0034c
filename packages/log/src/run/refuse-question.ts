import { BylawError, type LogEvent } from "@bylaw/kernel";
import { StoreConflict, type DocumentWrite, type Store } from "@bylaw/store";
import { recordedDigest } from "../state/approval.ts";
import { ATTEMPTS, type Journal } from "./journal-contract.ts";
import type { EventSubject } from "./log-follower.ts";
import { CALL_EVENTS, asksPerson, callKey } from "../state/recorded-call.ts";
import type { RefusalRequest } from "./run-contract.ts";

interface Source {
  readonly run: string;
  readonly store: Pick<Store, "events">;
  readonly journal: Journal;
}

/** How many events are read at once. */
const PAGE = 500;

/**
 * Records that a person said no to an open question. Throws BYLAW_EVENT_INVALID, BYLAW_APPROVAL_MISSING if the question is not open,
 * BYLAW_EVENT_REFUSED for a second answer, and what a journal throws.
 */
export async function refuseQuestion(
  { run, store, journal }: Source,
  { asked, by, reason }: RefusalRequest,
  documents: readonly DocumentWrite[],
): Promise<readonly LogEvent[]> {
  if (!Number.isSafeInteger(asked) || asked < 1)
    throw unfit("`asked` must be the sequence of the event that asked");
  if (typeof by !== "string" || by === "") throw unfit("`by` must be the name of a person");
  if (typeof reason !== "string" || reason === "")
    throw unfit("`reason` must be a text that is not empty");
  for (let attempts = 1; ; attempts += 1) {
    await journal.catchUp();
    const before = journal.state;
    const question = await openQuestion(store, run, asked, before.head);
    const { agent_id, task_id } = question;
    const who = { agent: agent_id, task: task_id };
    const draft = journal.draft("approval_refused", who, {
      asked,
      digest: recordedDigest(question) ?? "",
      by,
      reason,
    });
    // The same call can only be decided for the same agent and task.
    const stale = (other: EventSubject): boolean =>
      other.agent_id === agent_id && other.task_id === task_id;
    try {
      const { events, written } = await journal.append([draft], { before, stale, documents });
      await written;
      return events;
    } catch (error) {
      if (!(error instanceof StoreConflict) || error.what !== "seen" || attempts === ATTEMPTS)
        throw error;
    }
  }
}

async function openQuestion(
  store: Source["store"],
  run: string,
  asked: number,
  head: number,
): Promise<LogEvent> {
  const [question] = await store.events(run, asked - 1, 1);
  if (question === undefined || !asksPerson(question))
    throw missing(`Event ${asked} is not a question about a tool call`);
  const key = callKey(question);
  for (let after = asked; after < head;) {
    const page = await store.events(run, after, PAGE);
    const decided = page.find(
      (event) => CALL_EVENTS.has(event.event_type) && callKey(event) === key,
    );
    if (decided !== undefined)
      throw missing(`The call of event ${asked} was decided again by event ${decided.sequence}`);
    after = page.at(-1)?.sequence ?? head;
  }
  return question;
}

const missing = (message: string): BylawError =>
  new BylawError({
    code: "BYLAW_APPROVAL_MISSING",
    message,
    fix: "Answer the last `tool_asked` event of this call, if there is one.",
  });

const unfit = (message: string): BylawError =>
  new BylawError({ code: "BYLAW_EVENT_INVALID", message });
