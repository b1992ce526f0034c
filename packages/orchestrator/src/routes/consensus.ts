import { z } from "@hono/zod-openapi";
import { consensusState } from "@bylaw/consensus";
import { agentTurns, turnOf, type Run } from "@bylaw/log";
import { recordResponse, showAnswers } from "@bylaw/plugin-consensus";
import { admitAgent } from "../auth/admission.ts";
import type { AgentCaller } from "../auth/caller.ts";
import { requireParticipant } from "../consensus/require-participant.ts";
import {
  answerShape,
  concludedAs,
  conclusionShape,
  consensusFor,
  consensusShape,
  shownAnswer,
} from "../consensus/state.ts";
import { turnTools, type TurnTools } from "../consensus/turn-tools.ts";
import { problem } from "../http/problem.ts";
import { requireRecorded } from "../http/require-recorded.ts";
import { defineRoute, reply, type RouteRequest } from "../http/route.ts";
import { agentId, requestId } from "../http/shapes.ts";
import { changeOnce } from "../service/change-once.ts";
import { idempotentRequest, recordOnce } from "../service/idempotency.ts";
import { answerOf, responseAnswer } from "./responses.ts";

export const getConsensus = defineRoute({
  method: "get",
  path: "/consensus",
  summary: "Read the state of the consensus",
  description: "An agent also gets what it may do now, and sees others only by their aliases.",
  tags: ["consensus"],
  callers: ["operator", "agent"],
  answers: { 200: { description: "The consensus", schema: consensusShape } },
  async handle({ service, caller, route }) {
    await service.run.catchUp();
    if (caller.kind === "agent")
      await admitAgent({ service, caller, route }, { task: caller.task });
    return reply(consensusFor(service, caller));
  },
});

export const showConsensus = defineRoute({
  method: "post",
  path: "/consensus/show",
  summary: "Show the current answers of others",
  description:
    "The newest first. `unseen` lists those that the agent had not seen. Showing them is recorded, because a vote counts only for an answer that was shown.",
  tags: ["consensus"],
  callers: ["agent"],
  body: z.strictObject({}),
  answers: {
    200: {
      description: "The answers",
      schema: z.object({ answers: z.array(answerShape), unseen: z.array(z.string()) }),
    },
  },
  async handle(request) {
    const { service, caller } = request;
    await admitAgent(request, { task: caller.task });
    turnTools(service.kernel);
    await service.run.catchUp();
    const shown = await showAnswers(service.run, caller.agent);
    const state = service.run.view(consensusState);
    // All answers, not only new ones, because an agent that lost this response and asks again must see everything it may vote for.
    const seen = own(state.shown, caller.agent) ?? {};
    const answers = state.answers
      .filter(({ agent, revision }) => agent !== caller.agent && own(seen, agent) === revision)
      .toSorted((left, right) => right.nth - left.nth);
    return reply({
      answers: answers.map((answer) => shownAnswer(state, answer)),
      unseen: shown.map(({ label }) => label),
    });
  },
});

const own = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const concluded = { ...responseAnswer.shape, conclusion: conclusionShape };

export const postAnswer = defineRoute({
  method: "post",
  path: "/consensus/answer",
  summary: "Give or improve an answer",
  description: "Judged like `POST /responses`. `conclusion` is the result of an accepted one.",
  tags: ["consensus"],
  callers: ["agent"],
  body: z.strictObject({ content: z.string(), request_id: requestId.optional() }),
  answers: { 200: { description: "The decision", schema: z.object(concluded) } },
  handle: (request) => respond(request, (tools) => tools.answer(request.body.content)),
});

export const postVote = defineRoute({
  method: "post",
  path: "/consensus/vote",
  summary: "Vote for an answer",
  description: "`agent_id` is an alias such as `agent2`. Judged like `POST /responses`.",
  tags: ["consensus"],
  callers: ["agent"],
  body: z.strictObject({
    agent_id: agentId,
    reason: z.string().optional(),
    request_id: requestId.optional(),
  }),
  answers: { 200: { description: "The decision", schema: z.object(concluded) } },
  handle: (request) =>
    respond(request, (tools) => tools.vote(request.body.agent_id, request.body.reason)),
});

async function respond(
  request: RouteRequest<"agent", unknown, unknown, object>,
  callOf: (tools: TurnTools) => ReturnType<TurnTools["answer"]>,
) {
  const { service, caller } = request;
  const { agent, task } = caller;
  await admitAgent(request, { task });
  const tool_calls = [callOf(turnTools(service.kernel))];
  const named = await idempotentRequest(request, { route: "consensus", tool_calls });
  const outcome = requireRecorded(
    await service.run.respond({ agent, task, tool_calls }, recordOnce(named)),
  );
  const answer = answerOf(outcome);
  return reply({ ...answer, conclusion: await concludeFor(request, answer.sequence) });
}

async function concludeFor(
  { service, caller }: RouteRequest<"agent", unknown, unknown, unknown>,
  response: number | null,
) {
  await recordResponse(service.run, caller.agent);
  return response === null ? null : await concludedAs(service, caller.agent, response);
}

export const concludeResponse = defineRoute({
  method: "post",
  path: "/consensus/conclude",
  summary: "Record the answer or vote of an accepted response",
  description: "After `POST /responses`. Safe to repeat.",
  tags: ["consensus"],
  callers: ["agent"],
  body: z.strictObject({
    sequence: z
      .int()
      .min(1)
      .openapi({ description: "The `sequence` in the response of `POST /responses`" }),
  }),
  answers: {
    200: {
      description: "The result; `null` if it was neither an answer nor a vote",
      schema: z.object({ conclusion: conclusionShape }),
    },
  },
  async handle(request) {
    const { service, caller, body } = request;
    await admitAgent(request, { task: caller.task });
    turnTools(service.kernel);
    await service.run.catchUp();
    return reply({ conclusion: await concludeFor(request, body.sequence) });
  },
});

export const nextRound = defineRoute({
  method: "post",
  path: "/consensus/round",
  summary: "Begin the next round of an agent",
  description:
    "An agent may begin its own round when its last turn ended well. An operator names the `agent_id`, and so can also give new attempts to an agent that has used them up.",
  tags: ["consensus"],
  callers: ["agent", "operator"],
  body: z.strictObject({ agent_id: agentId.optional() }),
  answers: { 200: { description: "The round", schema: z.object({ round: z.int() }) } },
  async handle(request) {
    const { service, caller, route, body } = request;
    if (caller.kind === "agent")
      await admitAgent({ service, caller, route }, { task: caller.task });
    turnTools(service.kernel);
    const agent =
      caller.kind === "agent" ? ownName(caller, body.agent_id) : namedAgent(body.agent_id);
    if (caller.kind === "operator") await requireParticipant(service.run, agent);
    const change = { content: { route: "round", agent }, types: ["round_started"] };
    const { details } = await changeOnce(request, change, (run) =>
      beginRound(run, agent, { own: caller.kind === "agent" }),
    );
    return reply({ round: details["round"] });
  },
});

async function beginRound(
  run: Run,
  agent_id: string,
  { own: byItself }: { readonly own: boolean },
): Promise<void> {
  await run.catchUp();
  const turn = turnOf(run.view(agentTurns), agent_id);
  if (byItself && turn.round > 0 && turn.outcome !== "ok") throw notOver(turn.outcome);
  const details = { round: turn.round + 1 };
  await run.record([{ event_type: "round_started", agent_id, task_id: null, details }]);
}

function namedAgent(agent: string | undefined): string {
  if (agent !== undefined) return agent;
  throw problem({
    status: 400,
    code: "BYLAW_REQUEST_INVALID",
    detail: "The body needs `agent_id`",
    fix: "Name the agent whose round begins.",
  });
}

function ownName({ agent }: AgentCaller, named: string | undefined): string {
  if (named === undefined || named === agent) return agent;
  throw problem({
    status: 403,
    code: "BYLAW_CREDENTIAL_UNFIT",
    detail: "An agent cannot begin a round of another agent",
    fix: "Leave `agent_id` out.",
  });
}

const notOver = (outcome: string | null) =>
  problem({
    status: 409,
    code: "BYLAW_EVENT_REFUSED",
    detail:
      outcome === null
        ? "The round of this agent is not over"
        : `The turn of this agent ended as \`${outcome}\``,
    fix:
      outcome === null
        ? "Answer or vote first."
        : "Only an operator can begin another round for it.",
  });
