import { awaitApproval } from "./approval.ts";
import { approvalPending } from "./outcomes.ts";
import type { AskOptions, Session } from "./session.ts";
import type { CheckOptions } from "./tool-shorthands.ts";
import type {
  BatchAnswer,
  BatchCheckAnswer,
  CheckAnswer,
  ExecutedBatch,
  JsonObject,
  PendingAnswer,
  ToolAnswer,
  ToolOutcome,
  ToolQuestion,
} from "./types.ts";

/** The default time limit of a tool, in milliseconds. Tests may take long. */
const TOOL_MS = 900_000;

/** Has the server make a call. Repeats it after a person's yes if it may wait for one. */
export async function useTool(
  session: Session,
  tool_name: string,
  args: JsonObject,
  options: AskOptions & { readonly approval_wait_ms?: number },
): Promise<ToolAnswer> {
  const { approval_wait_ms, ...asked } = options;
  const call = { tool_name, args };
  const { status, body } = await session.answer<ToolAnswer | PendingAnswer>(
    tool_name,
    "/tools/execute",
    call,
    { timeout_ms: TOOL_MS, ...asked, tool: tool_name },
  );
  if (status !== 202) return body as ToolAnswer;
  const pending = approvalPending(tool_name, body as PendingAnswer);
  if (approval_wait_ms === undefined) throw pending;
  const wait = { wait_ms: approval_wait_ms, signal: asked.signal };
  await awaitApproval(session, pending.approval_id, wait);
  return useTool(session, tool_name, args, { ...asked, request_id: undefined });
}

/** Has the server make several calls, one after the other. */
export async function useTools(
  session: Session,
  calls: readonly ToolQuestion[],
  asked: AskOptions,
): Promise<readonly ToolOutcome[]> {
  const path = "/tools/execute/batch";
  const options = { timeout_ms: TOOL_MS, ...asked };
  return (await session.post<ExecutedBatch>("batch", path, { calls }, options)).results;
}

/** Asks about one call. */
export function checkTool(
  session: Session,
  tool_name: string,
  args: JsonObject,
  { record, ...asked }: CheckOptions,
): Promise<CheckAnswer> {
  const call = { tool_name, args, record };
  return session.post<CheckAnswer>(tool_name, "/tools/check", call, { ...asked, tool: tool_name });
}

/** Asks about several calls. */
export async function checkTools(
  session: Session,
  calls: readonly ToolQuestion[],
  { record, ...asked }: CheckOptions,
): Promise<readonly BatchCheckAnswer[]> {
  const path = "/tools/check/batch";
  return (await session.post<BatchAnswer>("batch", path, { calls, record }, asked)).decisions;
}
