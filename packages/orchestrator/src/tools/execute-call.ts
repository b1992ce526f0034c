import { admitAgent, type AgentRequest } from "../auth/admission.ts";
import { idempotentRequest, type IdempotentRequest } from "../service/idempotency.ts";
import type { Call } from "./calls.ts";
import type { Execution } from "./executor.ts";

/** Makes a call on the server for a task that the caller holds. The token is checked before and, after a wait, again. */
export async function executeCall(
  request: AgentRequest & { readonly request_id: string | undefined },
  task: string,
  call: Call,
): Promise<Execution> {
  const { service, caller } = request;
  const { tool, args } = call;
  const admitted = async (): Promise<IdempotentRequest | undefined> => {
    await admitAgent(request, { task, tool });
    return idempotentRequest(request, { route: "execute", tool, args });
  };
  const named = await admitted();
  return service.executor.execute({ caller, call, named, again: admitted });
}
