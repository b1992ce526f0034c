import { aliasOf, consensusState, unseenAnswers, type Consensus } from "@bylaw/consensus";
import type { JsonObject } from "@bylaw/kernel";
import { agentTurns, turnOf } from "@bylaw/log";
import { candidates, allowedTurn, tally, workflowTools } from "@bylaw/plugin-consensus";
import { z } from "@hono/zod-openapi";
import type { Caller } from "../auth/caller.ts";
import type { Service } from "../service/service.ts";
import { turnTools } from "./turn-tools.ts";

const label = z.string().openapi({ description: "Alias and revision: `agent2.1`" });
const outcome = z.enum(["ok", "non_compliant", "dropped"]).nullable();

/** An answer as agents see it. */
export const answerShape = z.object({
  alias: z.string(),
  label,
  revision: z.int(),
  content: z.string(),
});

/** The state of the consensus for one caller. */
export const consensusShape = z.object({
  open: z.boolean(),
  agents: z.array(
    z.object({
      agent_id: z.string().optional().openapi({ description: "Only for operators" }),
      alias: z.string(),
      round: z.int(),
      outcome,
      label: z.string().nullable().openapi({ description: "Its current answer" }),
    }),
  ),
  tally: z
    .record(z.string(), z.int())
    .openapi({ description: "Votes that count, by answer; for agents when a winner is selected" }),
  winner: z.union([answerShape, z.null()]),
  you: z
    .object({
      alias: z.string().nullable(),
      round: z.int(),
      attempts: z.int(),
      may: z.enum(["work", "vote_only", "wait", "out"]),
      tools: z.array(z.string()),
      candidates: z.array(z.string()),
      unseen: z.array(z.string()),
    })
    .optional()
    .openapi({ description: "For an agent" }),
});

/**
 * The part of the state that a caller may see. Agents know each other by alias. They see votes only at the end, and only answers they were
 * shown.
 */
export function consensusFor(
  { run: { view }, kernel }: Pick<Service, "run" | "kernel">,
  caller: Caller,
): z.output<typeof consensusShape> {
  const tools = turnTools(kernel);
  const state = view(consensusState);
  const operator = caller.kind === "operator";
  const agents = state.agents.map((agent) => {
    const { round, outcome: how } = turnOf(view(agentTurns), agent);
    return {
      ...(operator ? { agent_id: agent } : {}),
      alias: aliasOf(state, agent) ?? "",
      round,
      outcome: how,
      label: state.answers.find((answer) => answer.agent === agent)?.label ?? null,
    };
  });
  const winner = state.answers.find(({ agent }) => agent === state.winner);
  return {
    open: state.agents.length > 0 && state.winner === null,
    agents,
    tally: operator || state.winner !== null ? { ...tally(view) } : {},
    winner: winner === undefined ? null : shownAnswer(state, winner),
    ...(caller.kind === "agent" ? { you: ownTurn(caller.agent) } : {}),
  };

  function ownTurn(agent: string) {
    const { round, attempts } = turnOf(view(agentTurns), agent);
    const { names, answers, votes } = tools;
    return {
      alias: aliasOf(state, agent) ?? null,
      round: Math.max(1, round),
      attempts,
      may: allowedTurn(view, agent),
      tools: [...workflowTools(view, agent, { tools: names, answer: answers, vote: votes })],
      candidates: [...candidates(view)],
      unseen: unseenAnswers(state, agent).map((answer) => answer.label),
    };
  }
}

/** An answer by its alias. */
export const shownAnswer = (
  state: Consensus,
  { agent, label: of, revision, content }: Consensus["answers"][number],
): z.output<typeof answerShape> => ({
  alias: aliasOf(state, agent) ?? "",
  label: of,
  revision,
  content,
});

/** The outcome of a response: an answer, a vote, or `null` for anything else and for a refused response. */
export const conclusionShape = z.union([
  z.object({ kind: z.literal("answer"), label }),
  z.object({ kind: z.literal("vote"), label }),
  z.object({ kind: z.literal("ignored"), reason: z.string() }),
  z.null(),
]);

const CONCLUDED: Readonly<Record<string, "answer" | "vote" | "ignored">> = {
  answer_accepted: "answer",
  vote_accepted: "vote",
  answer_ignored: "ignored",
  vote_ignored: "ignored",
};
/** The most events between a response and the record of its outcome. */
const BETWEEN = 1_000;

/** The recorded outcome of an agent's response, if there is one. */
export async function concludedAs(
  { store, run }: Pick<Service, "store" | "run">,
  agent: string,
  response: number,
): Promise<z.output<typeof conclusionShape>> {
  const events = await store.events(run.run, response, BETWEEN);
  const event = events.find(
    ({ event_type, agent_id, details }) =>
      Object.hasOwn(CONCLUDED, event_type) &&
      agent_id === agent &&
      details["response"] === response,
  );
  if (event === undefined) return null;
  const kind = CONCLUDED[event.event_type] ?? "ignored";
  const { label: of, reason }: JsonObject = event.details;
  return kind === "ignored" ? { kind, reason: String(reason) } : { kind, label: String(of) };
}
