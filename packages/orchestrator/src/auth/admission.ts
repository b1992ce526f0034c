import { type Refusal } from "./refusal.ts";
import { currentPhases, phaseOf } from "@bylaw/log";
import { currentTokenFault } from "@bylaw/plugin-tokens";
import type { AgentCaller } from "./caller.ts";
import { problem } from "../http/problem.ts";
import type { Route } from "../http/route.ts";
import { holderOf } from "../tasks/holders.ts";
import type { Service } from "../service/service.ts";

/** What an agent wants to do, as far as it says. */
export interface Attempt {
  readonly route: Route;
  readonly task: string;
  readonly tool?: string;
}

/**
 * Holds an agent to its token before anything of it comes into the history of a task. A good signature is not enough, since a key can be
 * stolen: all that the token says is what the log has of the one that stands for this task, its time has come and is not over, and the
 * task is in its phase. Whoever is not let in is told why, which is recorded; `false` where the token was issued for this task and
 * another came after it, and `overtaken` says that this may be.
 */
export function admitAgent(
  service: Service,
  caller: AgentCaller,
  attempt: Attempt,
  { overtaken = false }: { readonly overtaken?: boolean } = {},
): boolean | Promise<boolean> {
  const fault = faultOf(service, caller, attempt.task);
  return fault === undefined
    ? true
    : admitOvertaken(service, caller, fault, { ...attempt, overtaken });
}

async function admitOvertaken(
  service: Service,
  caller: AgentCaller,
  fault: Fault,
  { route, task, tool, overtaken }: Attempt & { readonly overtaken: boolean },
): Promise<boolean> {
  if (fault === "token_superseded") {
    // Another node may have handed it out, and this one has not read so far.
    await service.run.catchUp();
    if (faultOf(service, caller, task) === undefined) return true;
    if (overtaken && wasIssued(service, caller)) return false;
  }
  throw await refused(service, caller, fault, { route, task, tool });
}

/**
 * Holds an agent that claims by its token to the claim that this is of, as the log says now. One that was overtaken within the claim is
 * good enough, since the answer that had the next one may be lost; one that ended, was revoked or is of another claim is not.
 */
export async function admitClaim(
  service: Service,
  caller: AgentCaller,
  { route, task }: Attempt,
): Promise<void> {
  // A lease that is over has ended the claim, whether or not somebody has said so yet.
  await service.tasks.recover();
  const fault = claimFaultOf(service, caller, task);
  if (fault !== undefined) throw await refused(service, caller, fault, { route, task });
}

async function refused(
  service: Service,
  { agent }: AgentCaller,
  fault: Fault,
  { route, task, tool }: Omit<Attempt, "tool"> & { readonly tool?: string | undefined },
): Promise<Error> {
  const { detail, fix } = WORDS[fault];
  const refusal: Refusal = { status: 403, code: fault, detail, fix, credential: "agent", agent };
  await service.refused(refusal, { route, task, tool });
  return problem(refusal);
}

type Fault = keyof typeof WORDS;

function termsFaultOf(
  { now, signer }: Service,
  { task, claims }: AgentCaller,
  wanted: string,
): Fault | undefined {
  return wanted === task ? signer.timeFault(claims, Date.parse(now())) : "token_other_task";
}

function faultOf(service: Service, caller: AgentCaller, wanted: string): Fault | undefined {
  const { task, claims, digest } = caller;
  const { view } = service.run;
  const fault = termsFaultOf(service, caller, wanted) ?? currentTokenFault(view, claims, digest);
  return (
    fault ??
    ((phaseOf(view(currentPhases), task) ?? null) === claims.phase
      ? undefined
      : "token_other_phase")
  );
}

function claimFaultOf(service: Service, caller: AgentCaller, wanted: string): Fault | undefined {
  const fault = termsFaultOf(service, caller, wanted);
  if (fault !== undefined || isOfClaim(service, caller)) return fault;
  return currentTokenFault(service.run.view, caller.claims, caller.digest) ?? "token_superseded";
}

/** Whether a token was issued lately for its task, as the log says, in the claim that holds the task or in the one before. */
const wasIssued = ({ run }: Pick<Service, "run">, { task, digest }: AgentCaller): boolean =>
  holderOf(run.view, task)?.issued.includes(digest) === true;

/** Whether a token was issued in the claim that holds its task, and was not revoked: it stands, or was overtaken by another of the claim. */
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
      "The token does not hold any more: the task moved on, has a newer token, or the token was revoked",
    fix: "Use the newest token of the task, or claim it again by its id, with your enrolment.",
  },
} as const;
