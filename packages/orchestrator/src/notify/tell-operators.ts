import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, type LogEvent } from "@bylaw/kernel";
import { callQuestionId, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { openCall } from "../approvals/calls.ts";
import { readOperators } from "../approvals/operators.ts";
import { openQuestion } from "../approvals/question-list.ts";
import { NOBODY_TOLD } from "./message-events.ts";
import { FIRST_RETRY_MS, Messenger, recipientsIn, type Recipient } from "./messenger.ts";

// A server of this run tells with a link, so it goes first.
const SERVER_FIRST_MS = 2_000;

interface AskedCall {
  /** An open run that records {@link MESSAGE_EVENTS}. */
  readonly run: Pick<Run, "run" | "record">;
  readonly store: Pick<Store, "get">;
  /** The event that asks. */
  readonly asked: LogEvent;
  /** The file of operators. */
  readonly file: string;
  /** Returns how to answer a question, as a sentence. */
  readonly answerWith: (question: string) => string;
  /** Ends it, for example because the question was answered. */
  readonly signal: AbortSignal;
}

/**
 * Tells the operators of a project about a call that waits, unless a server does. Resolves when each was told or could not be. If the file of
 * operators is broken, records that and resolves. Throws the errors of the store, and AbortError.
 */
export async function tellOperators(options: AskedCall): Promise<void> {
  const { run, store, asked, file, answerWith, signal } = options;
  const question = openQuestion({ id: callQuestionId(run.run, asked), ...openCall(asked) });
  const messenger = new Messenger({
    ...{ run, store, signal },
    now: () => new Date().toISOString(),
    answerBy: async () => ({ link: undefined, answer_with: answerWith(question.id) }),
    // The agent may read what a hook prints, so the reason is only recorded.
    onFailed: () => {},
  });
  let left: readonly Recipient[];
  try {
    left = recipientsIn(readOperators(file).operators);
  } catch (error) {
    const details = { question: question.id, why: messageOf(error).slice(0, 2_000) };
    await run.record([{ event_type: NOBODY_TOLD, agent_id: null, task_id: null, details }]);
    return;
  }
  for (let ms = SERVER_FIRST_MS; left.length > 0; ms = FIRST_RETRY_MS) {
    await sleep(ms, undefined, { signal });
    const outcomes = await Promise.all(left.map((one) => messenger.tell(question, one)));
    left = left.filter((_, at) => outcomes[at]?.done !== true);
  }
}
