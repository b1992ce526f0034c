import { currentTokens } from "@bylaw/plugin-tokens";
import { timeOf, treeGet } from "@bylaw/log";
import type { Refusal } from "../auth/authenticate.ts";
import type { AgentCaller } from "../auth/caller.ts";
import { problem } from "../http/problem.ts";
import type { Route } from "../http/route.ts";
import { holderOf } from "./holders.ts";
import type { Service } from "./service.ts";

/** What an agent wants to do, as far as it says. */
export interface Attempt {
  readonly route: Route;
  readonly task: string;
  readonly tool?: string;
}

/**
 * Holds an agent to its token before anything of it comes into the history of a task: the token is of this task, and it is the one that
 * stands. Who is not let in is recorded and told why; `false` where it was overtaken and `overtaken` says that this may be.
 */
export function admitAgent(
  service: Service,
  caller: AgentCaller,
  attempt: Attempt,
  { overtaken = false }: { readonly overtaken?: boolean } = {},
): boolean | Promise<boolean> {
  const fault = faultOf(service, caller, attempt.task);
  return fault === undefined ? true : admitOvertaken(service, caller, fault, { ...attempt, overtaken });
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
    if (overtaken) return false;
  }
  throw await refused(service, caller, fault, { route, task, tool });
}

/**
 * Holds an agent that claims by its token to the claim that this is of, as the log says now. One that was overtaken within the claim is
 * good enough, since the answer that had the next one may be lost; one that ended, was revoked or is of another claim is not.
 */
export async function admitClaim(service: Service, caller: AgentCaller, { route, task }: Attempt): Promise<void> {
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

function termsFaultOf({ now }: Service, { task, claims }: AgentCaller, wanted: string): Fault | undefined {
  if (wanted !== task) return "token_other_task";
  return timeOf(now()) >= claims.exp * 1_000 ? "token_expired" : undefined;
}

function faultOf(service: Service, caller: AgentCaller, wanted: string): Fault | undefined {
  const { task, claims } = caller;
  const fault = termsFaultOf(service, caller, wanted);
  return fault ?? (treeGet(service.run.view(currentTokens), task) === claims.jti ? undefined : "token_superseded");
}

function claimFaultOf(service: Service, caller: AgentCaller, wanted: string): Fault | undefined {
  const fault = termsFaultOf(service, caller, wanted);
  return fault ?? (isOfClaim(service, caller) ? undefined : "token_superseded");
}

/** Whether a token is of the claim that holds its task, and was not revoked: it stands, or was overtaken by another of the same claim. */
export function isOfClaim({ run }: Pick<Service, "run">, { agent, task, fence, claims }: AgentCaller): boolean {
  const holder = holderOf(run.view, task);
  if (holder?.agent !== agent) return false;
  return holder.token?.jti === claims.jti || (holder.fence === fence && !holder.revoked);
}

const WORDS = {
  token_other_task: {
    detail: "Unexpected token: the token is of another task",
    fix: "act for the task whose token it is; another is claimed with your enrolment",
  },
  token_expired: {
    detail: "Unexpected token: the token's time is over",
    fix: "claim the task again by its id, with your enrolment: the answer has a new token",
  },
  token_superseded: {
    detail: "Unexpected token: the task moved on, or has a newer token, or the token was revoked",
    fix: "use the newest token of the task, or claim it again by its id, with your enrolment",
  },
} as const;
