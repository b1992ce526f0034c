import { isJsonObject, type Decision, type Json, type Kernel, type ToolCall } from "@bylaw/kernel";
import { isSilent } from "../decide/ask-run.ts";
import { callQuestionId, type Run } from "@bylaw/log";

/** The step whose calls are answered. */
export interface CallContext {
  readonly run: Run;
  readonly agent: string;
  readonly kernel: Kernel;
  /** The value of `--store`, without a password. */
  readonly store: string;
}

/** Answers a program of a step that asks about a call. Its key says which agent asks, because the call could name any. */
export async function answerCall(
  body: unknown,
  { run, agent, kernel, store }: CallContext,
): Promise<Json> {
  if (!isJsonObject(body) || !isJsonObject(body["call"]))
    throw new TypeError("The request is not a call");
  const { id, session = "", ...call } = body["call"];
  // The kernel checks every field before it decides.
  const asked = { ...call, agent, hook: "beforeToolCall" } as unknown as ToolCall;
  const request = id === undefined ? {} : { request_id: JSON.stringify([agent, session, id]) };
  const left_to_host = body["left_to_host"] === true;
  if (!left_to_host) {
    const look = await kernel.decide({ ...asked, run: run.run }, run.view);
    // Without a rule for the call, the run records it only if the caller lets it run.
    if (isSilent(look)) return answerOf(look, "");
  }
  const { decision, events } = await run.toolCall(asked, { ...request, left_to_host });
  const [event] = events;
  const question = event === undefined ? "ID" : callQuestionId(run.run, event);
  const place = `--store ${store} --run ${run.run}`;
  return answerOf(decision, `\`bylaw approve yes ${question} ${place} --by NAME\``);
}

const answerOf = (decision: Decision, answer_with: string): Json =>
  ({ decision: { ...decision, votes: [] }, answer_with }) as unknown as Json;
