import { setTimeout as sleep } from "node:timers/promises";
import type { LogEvent } from "@bylaw/kernel";
import { recordedDigest } from "@bylaw/log";
import type { Store } from "@bylaw/store";

/** How often to look, in milliseconds, and how many events are read at once. */
const POLL_MS = 500;
const READ = 500;

interface AnswerTo {
  readonly asked: LogEvent;
  readonly wait_ms: number;
  readonly ended: AbortSignal;
}

const pause = (signal: AbortSignal): Promise<void> =>
  sleep(POLL_MS, undefined, { signal }).catch(() => {});

/** Waits for the yes or no to a question about a call. Undefined if nobody answers in time, or before `ended` is aborted. */
export async function answerTo(
  store: Pick<Store, "events">,
  run: string,
  { asked, wait_ms, ended }: AnswerTo,
): Promise<LogEvent | undefined> {
  const digest = recordedDigest(asked);
  const isAnswer = ({ event_type, details }: LogEvent): boolean =>
    event_type === "approval_granted"
      ? digest !== undefined && details["digest"] === digest
      : event_type === "approval_refused" && details["asked"] === asked.sequence;
  let after = asked.sequence;
  for (const end = performance.now() + wait_ms; ; await pause(ended)) {
    const events = await store.events(run, after, READ);
    const answer = events.find(isAnswer);
    if (answer !== undefined) return answer;
    after = events.at(-1)?.sequence ?? after;
    if (events.length < READ && (ended.aborted || performance.now() >= end)) return undefined;
  }
}
