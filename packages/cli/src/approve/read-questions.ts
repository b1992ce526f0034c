import type { Kernel } from "@bylaw/kernel";
import {
  createQuestions,
  type CallState,
  type OpenId,
  type QuestionFold,
  type QuestionSource,
} from "@bylaw/orchestrator/approvals";
import { foldingView } from "../log/folding-view.ts";
import { eventsOf } from "../log/open-store.ts";

/** The open questions of a run at the time it was read. */
export interface ReadQuestions extends Pick<QuestionFold, "agents" | "head" | "read"> {
  readonly open: readonly OpenId[];
  /** The state of a question about a call. `undefined` if it is no longer kept. */
  readonly stateOf: (id: string) => CallState | undefined;
}

interface Source extends QuestionSource {
  readonly kernel: Kernel;
}

/** Reads a run from its first event. `now`: milliseconds since 1970. */
export async function readQuestions(
  { kernel, ...source }: Source,
  now: number,
): Promise<ReadQuestions> {
  const questions = createQuestions(source);
  const states = foldingView(kernel);
  for await (const events of eventsOf(source.store, source.run)) {
    for (const event of events) {
      questions.add(event);
      if (source.gates !== undefined) states.add(event);
    }
  }
  const { agents, head } = questions;
  return {
    agents,
    head,
    read: (open) => questions.read(open),
    open: questions.open({ view: states.view, now }),
    stateOf: (id) => questions.call(id, now)?.state,
  };
}
