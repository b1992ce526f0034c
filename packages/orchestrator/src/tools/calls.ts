import { randomUUID } from "node:crypto";
import {
  omitUndefined,
  type Decision,
  type Effect,
  type JsonObject,
  type Kernel,
  type ToolCall,
} from "@bylaw/kernel";
import { currentPhases, phaseOf, type Outcome, type Run } from "@bylaw/log";
import type { CallContext, Tool } from "@bylaw/tools";
import type { AgentCaller } from "../auth/caller.ts";
import type { IdempotentRequest } from "../service/idempotency.ts";
import { hostFacts } from "../tasks/host-facts.ts";

/** The parts of the service that decide about calls. */
export interface CallSource {
  readonly run: Run;
  readonly kernel: Kernel;
  readonly tools: ReadonlyMap<string, Tool<CallContext>>;
  readonly workspaceOf: (task: string) => string;
  readonly now: () => string;
}

export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface Decided {
  /** The id of the call, for its result. Left out if nothing was recorded. */
  readonly id?: string;
  readonly decision: Decision;
  readonly applied: Effect;
}

/** The prefix of the ids of calls that the server makes itself. Only the server reports their results. */
export const OWN_CALL = "exec-";

/** Decides about a call and records the decision. Resolves when it is durable. `own`: the server makes the call itself. */
export async function decideCall(
  service: CallSource,
  caller: AgentCaller,
  call: Call,
  {
    named,
    own = false,
  }: { readonly named?: IdempotentRequest | undefined; readonly own?: boolean } = {},
): Promise<Decided & { readonly id: string; readonly outcome: Outcome }> {
  const id = `${own ? OWN_CALL : "call-"}${named === undefined ? randomUUID() : named.name.slice(0, 32)}`;
  const subject = subjectOf(service, caller, call);
  const options =
    named === undefined ? {} : { request_id: named.request_id, documents: named.documents };
  const outcome = await service.run.toolCall({ id, ...subject }, options);
  return { id, decision: outcome.decision, applied: outcome.applied, outcome };
}

/** Decides about a call in the current state, and records nothing. */
export async function previewCall(
  service: CallSource,
  caller: AgentCaller,
  call: Call,
): Promise<Decided> {
  const { kernel, run, now } = service;
  const phase = phaseOf(run.view(currentPhases), caller.task);
  const at = { run: run.run, session: run.session, at: now() };
  const subject = await kernel.prepare({
    hook: "beforeToolCall",
    ...subjectOf(service, caller, call),
    ...at,
    ...omitUndefined({ phase }),
  });
  const decision = await kernel.decidePrepared(subject, run.view);
  return { decision, applied: decision.applied };
}

function subjectOf(
  service: CallSource,
  caller: AgentCaller,
  { tool, args }: Call,
): Omit<ToolCall, "hook"> {
  const { agent, task } = caller;
  const workspace = service.workspaceOf(task);
  const annotations = service.tools.get(tool)?.annotations as JsonObject | undefined;
  return {
    agent,
    task,
    tool,
    args,
    cwd: workspace,
    workspace,
    host: hostFacts(service, caller),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
