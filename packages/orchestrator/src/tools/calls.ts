import { type IdempotentRequest } from "../service/idempotent-request.ts";
import { type Call, type Decided } from "./execution.ts";
import { randomUUID } from "node:crypto";
import { omitUndefined, type JsonObject, type ToolCall } from "@bylaw/kernel";
import { currentPhases, phaseOf, type Outcome } from "@bylaw/log";
import type { AgentCaller } from "../auth/caller.ts";
import { hostFor } from "../tasks/host.ts";
import type { ServiceParts } from "../service/service.ts";

/** How the ids of calls begin that the server makes itself: nobody else says what they came to. */
export const OWN_CALL = "exec-";

/** Decides about a call and puts that on record; resolves when it is durable. `own`: the server makes the call itself. */
export async function decideCall(
  service: ServiceParts,
  caller: AgentCaller,
  call: Call,
  {
    named,
    own = false,
  }: { readonly named?: IdempotentRequest | undefined; readonly own?: boolean } = {},
): Promise<Decided & { readonly id: string; readonly outcome: Outcome }> {
  const id = `${own ? OWN_CALL : "call-"}${named === undefined ? randomUUID() : named.name.slice(0, 32)}`;
  const subject = subjectOf(service, caller, call);
  const outcome = await (named === undefined
    ? service.run.toolCall({ id, ...subject })
    : service.run.toolCall(
        { id, ...subject },
        { request_id: named.request_id, documents: named.documents },
      ));
  return { id, decision: outcome.decision, applied: outcome.applied, outcome };
}

/** Decides about a call as things stand, and records nothing. */
export async function previewCall(
  service: ServiceParts,
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
  service: ServiceParts,
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
    host: hostFor(service, caller),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
