import {
  type Call,
  type Executed,
  type Execution,
  type ExecutionRequest,
  type Executor,
} from "./execution.ts";
import { type IdempotentRequest } from "../service/idempotent-request.ts";
import { isBylawError } from "@bylaw/config";
import { isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import { callTool, type CallContext, type Tool } from "@bylaw/tools";
import type { AgentCaller } from "../auth/caller.ts";
import { problem } from "../http/problem.ts";
import { decideCall } from "./calls.ts";
import { answerDocument, keptAnswer } from "../service/idempotency.ts";
import type { ServiceParts } from "../service/service.ts";
import { createTaskLock } from "../tasks/task-lock.ts";
import { createExecutionQueue } from "./execution-queue.ts";

/** Makes the executor of a node. */
export function createExecutor(service: ServiceParts): Executor {
  const { tools, settings, run, workspaceOf, over, now } = service;
  /** By the name of the request: what is being made here, or waits for it. */
  const inFlight = new Map<string, Promise<Execution>>();
  const executions = createExecutionQueue(settings.limits);
  const taskLock = createTaskLock(settings.operate.longest_wait_ms);

  async function made(
    { agent, task }: AgentCaller,
    tool: Tool<CallContext> | undefined,
    { tool: name, args }: Call,
  ): Promise<Executed> {
    if (tool === undefined)
      return {
        ok: false,
        code: "BYLAW_TOOL_UNKNOWN",
        message: `This server has no tool \`${name.slice(0, 80)}\``,
        fix: "See GET /tools.",
      };
    try {
      const context = {
        agent,
        task,
        session: run.session,
        workspace: workspaceOf(task),
        signal: over,
      };
      return { ok: true, result: await callTool(tool, args, context) };
    } catch (error) {
      const { code, fix = null } = isBylawError(error) ? error : { code: "BYLAW_TOOL_FAILED" };
      return { ok: false, code, message: messageOf(error), fix };
    }
  }

  async function make(
    id: string,
    caller: AgentCaller,
    call: Call,
    named: IdempotentRequest | undefined,
  ): Promise<Executed> {
    const began = performance.now();
    const executed = await made(caller, tools.get(call.tool), call);
    const { agent, task } = caller;
    const result = { duration_ms: Math.round(performance.now() - began), ...tracesOf(executed) };
    const documents =
      named === undefined ? [] : [answerDocument(named, executed as unknown as Json, now())];
    await run.toolResult(
      { id, tool: call.tool, agent, task, ok: executed.ok, result },
      { documents },
    );
    return executed;
  }

  async function decideAndMake(
    caller: AgentCaller,
    call: Call,
    named: IdempotentRequest | undefined,
  ): Promise<Execution> {
    const { outcome, ...decided } = await decideCall(service, caller, call, { named, own: true });
    if (decided.applied !== "allow") {
      const asked = outcome.events.find(({ event_type }) => event_type === "tool_asked");
      return asked === undefined ? decided : { ...decided, asked };
    }
    // Known and not replayed: it was asked for with an earlier token of the same agent, which is another question to the log.
    if (named !== undefined && (outcome.replayed === true || named.known)) {
      const kept = await keptAnswer(service, named);
      if (kept !== undefined) return { ...decided, executed: keptOf(kept) };
      // It began somewhere and nobody knows whether it ended: only what changes nothing is made again.
      if (tools.get(call.tool)?.annotations.readOnlyHint !== true) throw unknownOutcome();
    }
    return { ...decided, executed: await make(decided.id, caller, call, named) };
  }

  // Decided when it is made and not before: until then the task may move on, or be somebody else's.
  const inTurn = ({ caller, call, named, again }: ExecutionRequest): Promise<Execution> =>
    executions.take(caller.agent, (queued) =>
      taskLock.call(caller.task, async (held) =>
        decideAndMake(caller, call, queued || held ? await again() : named),
      ),
    );

  return {
    execute(request) {
      const { named } = request;
      if (named === undefined) return inTurn(request);
      const here = inFlight.get(named.name);
      if (here !== undefined) return here;
      const making = inTurn(request).finally(() => inFlight.delete(named.name));
      inFlight.set(named.name, making);
      return making;
    },
    still: (task, work) => taskLock.move(task, work),
  };
}

const keptOf = (kept: Json): Executed =>
  isJsonObject(kept) && kept["omitted"] === true
    ? { ok: true, result: null }
    : (kept as unknown as Executed);

/** What goes on record of an answer: enough to know it again, and nothing of what is in it, which may be a secret. */
function tracesOf(executed: Executed): JsonObject {
  if (!executed.ok) return { error: executed.code };
  const { result } = executed;
  const exit =
    isJsonObject(result) && typeof result["exit_code"] === "number"
      ? { exit_code: result["exit_code"] }
      : {};
  return { ...exit, digest: digestOf(result), chars: JSON.stringify(result).length };
}

const unknownOutcome = () =>
  problem({
    status: 409,
    code: "BYLAW_REQUEST_UNFINISHED",
    detail: "This call began, and nobody knows whether it ended",
    fix: "Check whether it had its effect. If not, make it again under a new request id.",
  });
