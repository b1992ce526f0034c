import { currentPhases, phaseOf } from "@bylaw/log";
import { currentTokenFault } from "@bylaw/plugin-tokens";
import type { Problem } from "../http/problem.ts";
import type { Route } from "../http/route.ts";
import type { Service } from "../service/service.ts";
import { holderOf } from "../tasks/holders.ts";
import type { AgentCaller } from "./caller.ts";

/** A request of an agent. */
export interface AgentRequest {
  readonly service: Service;
  readonly caller: AgentCaller;
  readonly route: Route;
}

/** What an agent wants to do. */
interface Attempt {
  readonly task: string;
  readonly tool?: string;
  /** Whether to accept a token that was issued for this task and replaced by a newer one. */
  readonly overtaken?: boolean;
}

/**
 * Checks an agent's token against the log before anything of the request is recorded for its task. A valid signature is not enough, because
 * a key can be stolen: the token must be the current one of the task, within its time and phase. A refusal is recorded and thrown. Returns
 * `false` only with `overtaken`, for a token that was replaced by a newer one.
 */
export function admitAgent(request: AgentRequest, attempt: Attempt): boolean | Promise<boolean> {
  const fault = faultOf(request, attempt.task);
  return fault === undefined ? true : admitOvertaken(request, fault, attempt);
}

async function admitOvertaken(
  request: AgentRequest,
  fault: Fault,
  attempt: Attempt,
): Promise<boolean> {
  const { service, caller } = request;
  if (fault === "token_superseded") {
    // Another node may have issued the token, and this node has not read that yet.
    await service.run.catchUp();
    if (faultOf(request, attempt.task) === undefined) return true;
    if (attempt.overtaken === true && wasIssued(service, caller)) return false;
  }
  throw await refused(request, fault, attempt);
}

/** Checks the token of an agent that reads. Reads first what other nodes recorded, because the task may belong to another agent by now. */
export async function admitReader(request: AgentRequest): Promise<void> {
  await request.service.run.catchUp();
  await admitAgent(request, { task: request.caller.task });
}

/**
 * Checks an agent that claims with its token. The token may be replaced by a newer one of the same claim, because the answer with the newer
 * one may have been lost. A token that has ended, was revoked or is of another claim is refused.
 */
export async function admitClaim(request: AgentRequest, task: string): Promise<void> {
  const { service, caller } = request;
  // An expired lease has ended the claim, even if that is not recorded yet.
  await service.tasks.recover();
  let fault = termsFaultOf(request, task);
  if (fault === undefined && !isOfClaim(service, caller))
    fault = currentTokenFault(service.run.view, caller.claims, caller.digest) ?? "token_superseded";
  if (fault !== undefined) throw await refused(request, fault, { task });
}

function refused(
  { service, caller: { agent }, route }: AgentRequest,
  fault: Fault,
  { task, tool }: Attempt,
): Promise<Problem> {
  const { detail, fix } = WORDS[fault];
  return service.refused(
    { status: 403, code: fault, detail, fix, credential: "agent", agent },
    { route, task, tool },
  );
}

type Fault = keyof typeof WORDS;

function termsFaultOf({ service, caller }: AgentRequest, wanted: string): Fault | undefined {
  const { now, signer } = service;
  return wanted === caller.task
    ? signer.timeFault(caller.claims, Date.parse(now()))
    : "token_other_task";
}

function faultOf(request: AgentRequest, wanted: string): Fault | undefined {
  const { task, claims, digest } = request.caller;
  const { view } = request.service.run;
  const fault = termsFaultOf(request, wanted) ?? currentTokenFault(view, claims, digest);
  if (fault !== undefined) return fault;
  const phase = phaseOf(view(currentPhases), task) ?? null;
  return phase === claims.phase ? undefined : "token_other_phase";
}

/** Whether a token was issued recently for its task according to the log, in the current claim or the one before. */
const wasIssued = ({ run }: Pick<Service, "run">, { task, digest }: AgentCaller): boolean =>
  holderOf(run.view, task)?.issued.includes(digest) === true;

/** Whether a token was issued in the current claim of its task and was not revoked. It may have been replaced by another of the claim. */
export function isOfClaim(service: Pick<Service, "run">, caller: AgentCaller): boolean {
  const { agent, task, fence, digest } = caller;
  const holder = holderOf(service.run.view, task);
  if (holder?.agent !== agent || !wasIssued(service, caller)) return false;
  return holder.fence === fence || holder.token?.digest === digest;
}

const WORDS = {
  token_other_task: {
    detail: "The token is for another task",
    fix: "Use the token of this task. Claim another task with your enrolment.",
  },
  token_not_yet_valid: {
    detail: "The token is not valid yet",
    fix: "Wait until it is. If that time is wrong, the clocks of the nodes differ.",
  },
  token_not_issued: {
    detail: "This token was never issued, although its signature is good",
    fix: "Tell an operator: the signing key may be stolen and must be replaced.",
  },
  token_other_phase: {
    detail: "The token is for another phase than the task is in",
    fix: "Claim the task again by its id: the answer has the token of its phase.",
  },
  token_expired: {
    detail: "The token has expired",
    fix: "Claim the task again by its id, with your enrolment: the answer has a new token.",
  },
  token_superseded: {
    detail:
      "The token is no longer valid: the task moved on, has a newer token, or the token was revoked",
    fix: "Use the newest token of the task, or claim it again by its id, with your enrolment.",
  },
} as const;
