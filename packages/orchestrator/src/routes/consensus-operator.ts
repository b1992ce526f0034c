import { z } from "@hono/zod-openapi";
import { omitUndefined } from "@bylaw/kernel";
import { openConsensus, selectWinner, winningAnswer } from "@bylaw/plugin-consensus";
import { DROPPED } from "@bylaw/plugin-reasons";
import { requireParticipant } from "../consensus/require-participant.ts";
import { consensusFor, consensusShape } from "../consensus/state.ts";
import { turnTools } from "../consensus/turn-tools.ts";
import { problem } from "../http/problem.ts";
import { defineRoute, reply } from "../http/route.ts";
import { agentId } from "../http/shapes.ts";
import { changeOnce } from "../service/change-once.ts";

const limit = z.int().positive().nullable().optional();

export const openConsensusRoute = defineRoute({
  method: "post",
  path: "/consensus",
  summary: "Open the consensus of the run",
  description: "Sets who takes part, and the terms. A run has one consensus.",
  tags: ["consensus"],
  callers: ["operator"],
  body: z.strictObject({
    agents: z.array(agentId).min(1).max(1_000),
    max_answers_per_agent: limit,
    max_answers_global: limit,
    defer_voting: z.boolean().optional(),
    fairness: z.enum(["votes", "turns"]).optional(),
  }),
  answers: { 200: { description: "The consensus", schema: consensusShape } },
  async handle(request) {
    const { service, caller, body } = request;
    turnTools(service.kernel);
    const { agents, ...more } = body;
    const given = { agents, ...omitUndefined(more) };
    const change = { content: { route: "consensus", ...given }, types: ["consensus_opened"] };
    await changeOnce(request, change, (run) => openConsensus(run, given));
    return reply(consensusFor(service, caller));
  },
});

export const selectWinnerRoute = defineRoute({
  method: "post",
  path: "/consensus/select",
  summary: "Select the winner by the recorded votes",
  tags: ["consensus"],
  callers: ["operator"],
  body: z.strictObject({}),
  answers: { 200: { description: "The consensus, with its winner", schema: consensusShape } },
  async handle(request) {
    const { service, caller } = request;
    turnTools(service.kernel);
    await changeOnce(request, { content: { route: "select" }, types: ["winner_selected"] }, (run) =>
      select(run),
    );
    return reply(consensusFor(service, caller));
  },
});

async function select(run: Parameters<typeof selectWinner>[0]): Promise<void> {
  await run.catchUp();
  if (winningAnswer(run.view) === undefined)
    throw problem({
      status: 409,
      code: "BYLAW_EVENT_REFUSED",
      detail: "Nobody has answered, so there is no winner",
      fix: "Wait for an answer.",
    });
  await selectWinner(run);
}

export const dropAgent = defineRoute({
  method: "post",
  path: "/consensus/drop",
  summary: "Stop waiting for an agent",
  tags: ["consensus"],
  callers: ["operator"],
  body: z.strictObject({
    agent_id: agentId,
    reason: z.enum(DROPPED),
    message: z.string().max(2_000).optional(),
  }),
  answers: { 200: { description: "The consensus", schema: consensusShape } },
  async handle(request) {
    const { service, caller, body } = request;
    turnTools(service.kernel);
    const { agent_id, ...details } = body;
    const given = omitUndefined(details);
    await requireParticipant(service.run, agent_id);
    await changeOnce(
      request,
      { content: { route: "drop", agent_id, ...given }, types: ["agent_dropped"] },
      (run) =>
        run.record([{ event_type: "agent_dropped", agent_id, task_id: null, details: given }]),
    );
    return reply(consensusFor(service, caller));
  },
});
