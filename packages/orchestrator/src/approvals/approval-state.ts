import { omitUndefined } from "@bylaw/kernel";
import type { GateVote, OpenGate } from "@bylaw/plugin-gates";
import type { AskedCall, CallState, Question } from "./index.ts";

/** A question that waits, with all that there is to see of it. A gate is `approved` when enough people said yes and the agent has to ask again. */
export type OpenQuestion = Question & { readonly state: "open" | "approved" };

/** A question that waits no more. */
export interface ClosedQuestion {
  readonly id: string;
  readonly kind: "gate" | "call";
  /** `settled`: nobody had to answer any more, or the agent went on. */
  readonly state: Exclude<CallState, "open">;
  readonly agent: string | null;
  readonly task: string | null;
  readonly by?: string;
  readonly reason?: string;
  /** RFC 3339: until when a yes to a call holds. */
  readonly expires_at?: string;
}

/** A question that is open. */
export function openQuestion(question: Question): OpenQuestion {
  if (question.kind === "call") return { ...question, state: "open" };
  const yes = question.approvals.filter(({ verdict }) => verdict === "approved").length;
  return { ...question, state: yes >= question.quorum ? "approved" : "open" };
}

/** A question about a call that waits no more. */
export const closedCall = ({
  id,
  state,
  agent,
  task,
  by,
  reason,
  until,
}: AskedCall): ClosedQuestion => ({
  id,
  kind: "call",
  state: state === "open" ? "settled" : state,
  agent,
  task,
  ...omitUndefined({
    by,
    reason,
    expires_at: until === undefined ? undefined : new Date(until).toISOString(),
  }),
});

/** A gate that waits no more. */
export const closedGate = (
  id: string,
  { agent, task }: OpenGate,
  no: GateVote | undefined,
): ClosedQuestion => ({
  id,
  kind: "gate",
  state: no === undefined ? "settled" : "rejected",
  agent,
  task,
  ...(no === undefined ? {} : { by: no.by, ...(no.reason === null ? {} : { reason: no.reason }) }),
});
