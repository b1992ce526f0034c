import { setTimeout as sleep } from "node:timers/promises";
import type { Question } from "@bylaw/orchestrator/approvals";
import { storeOrProject } from "../log/project-store.ts";
import { withReader } from "../log/open-store.ts";
import { openQuestions } from "./open-questions.ts";
import type { ApproveOptions } from "./session.ts";

/** How often to look, in milliseconds. */
const POLL_MS = 1_000;

/** The open questions, again and again, until stopped. A store is only read when one of its runs has grown. */
export async function* newQuestions(
  options: ApproveOptions,
  token: string | undefined,
  stop: AbortSignal,
): AsyncGenerator<Question> {
  let before: string | undefined;
  while (!stop.aborted) {
    const state = options.url === undefined ? await headsIn(options) : undefined;
    if (state === undefined || state !== before) {
      before = state;
      for (const question of await openQuestions(options, token)) {
        if (stop.aborted) return;
        if (isUnanswered(question)) yield question;
      }
    }
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {});
  }
}

// A gate that has its answers waits for the agent.
const isUnanswered = (question: Question): boolean =>
  question.kind !== "gate" ||
  question.approvals.filter(({ verdict }) => verdict === "approved").length < question.quorum;

const headsIn = ({ store }: ApproveOptions): Promise<string> =>
  withReader(storeOrProject(store), async (reader) =>
    JSON.stringify((await reader.runs()).map(({ run, head }) => [run, head])),
  );
