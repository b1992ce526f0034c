import { currentTokens } from "@bylaw/plugin-tokens";
import { treeGet } from "@bylaw/log";
import type { Refusal } from "../auth/authenticate.ts";
import type { AgentCaller } from "../auth/caller.ts";
import { problem } from "../http/problem.ts";
import type { Route } from "../http/route.ts";
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
export async function admitAgent(
  service: Service,
  caller: AgentCaller,
  { route, task, tool }: Attempt,
  { overtaken = false }: { readonly overtaken?: boolean } = {},
): Promise<boolean> {
  const fault = faultOf(service, caller, task);
  if (fault === undefined) return true;
  if (fault === "token_superseded") {
    // Another node may have handed it out, and this one has not read so far.
    await service.run.catchUp();
    if (faultOf(service, caller, task) === undefined) return true;
    if (overtaken) return false;
  }
  const { detail, fix } = WORDS[fault];
  const refusal: Refusal = { status: 403, code: fault, detail, fix, credential: "agent", agent: caller.agent };
  await service.refused(refusal, { route, task, tool });
  throw problem(refusal);
}

type Fault = keyof typeof WORDS;

function faultOf({ run, now }: Service, { task, claims }: AgentCaller, wanted: string): Fault | undefined {
  if (wanted !== task) return "token_other_task";
  if (Date.parse(now()) >= claims.exp * 1_000) return "token_expired";
  return treeGet(run.view(currentTokens), task) === claims.jti ? undefined : "token_superseded";
}

const WORDS = {
  token_other_task: { detail: "Unexpected token: the token is of another task", fix: "act for the task whose token it is" },
  token_expired: {
    detail: "Unexpected token: the token's time is over",
    fix: "claim the task again by its id: the answer has a new token",
  },
  token_superseded: {
    detail: "Unexpected token: the task moved on, or has a newer token, or the token was revoked",
    fix: "use the newest token of the task, or claim it again by its id",
  },
} as const;
