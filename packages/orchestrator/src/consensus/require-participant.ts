import { consensusState } from "@bylaw/consensus";
import type { Run } from "@bylaw/log";
import { didYouMean, quote } from "@bylaw/wording";
import { problem } from "../http/problem.ts";

/** Throws the problem of an agent that does not take part in the open consensus. */
export async function requireParticipant(run: Run, agent: string): Promise<void> {
  await run.catchUp();
  const { agents } = run.view(consensusState);
  if (agents.length === 0 || agents.includes(agent)) return;
  throw problem({
    status: 404,
    code: "BYLAW_REQUEST_INVALID",
    detail: `The agent ${quote(agent)} takes no part in the consensus`,
    fix: didYouMean(agent, agents) ?? "List its agents with `GET /consensus`.",
  });
}
