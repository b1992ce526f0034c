import {
  agentByName,
  labelOf,
  unseenAnswers,
  consensusState,
  type Answer,
  type Consensus,
  type ConsensusTerms,
  type TurnEnd,
} from "@bylaw/consensus";
import { BylawError, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import { type Run } from "@bylaw/log";
import { sha256Of } from "./sha256.ts";
import { pendingAnswers, winningAnswer } from "./allowed-turn.ts";

/** The outcome of an accepted response. */
export type Conclusion =
  | { readonly kind: "answer"; readonly label: string }
  | { readonly kind: "vote"; readonly label: string; readonly agent: string }
  /** It came too late. The agent must see the newer answers in a new round. */
  | { readonly kind: "ignored"; readonly reason: string };

const TERMS: ConsensusTerms = {
  max_answers_per_agent: null,
  max_answers_global: null,
  defer_voting: false,
  fairness: "votes",
};

/** Records who takes part and under which terms. Throws what `run.record` throws, also if the consensus is already open. */
export async function openConsensus(
  run: Run,
  { agents, ...terms }: { readonly agents: readonly string[] } & Partial<ConsensusTerms>,
): Promise<void> {
  await record(run, "consensus_opened", null, { agents, ...TERMS, ...terms });
}

/**
 * Records that an agent is shown the newest current answers of others that it has not seen, at most `limit`, and returns them. Call it
 * before you pass them on: later answers then count as unseen.
 */
export async function showAnswers(
  run: Run,
  agent: string,
  options: { readonly at_most?: number } = {},
): Promise<readonly Answer[]> {
  const pending = pendingAnswers(run.view, agent, options);
  if (pending.length === 0) return [];
  const answers = pending.map(({ agent: of, revision, sha256 }) => ({
    agent: of,
    revision,
    sha256,
  }));
  await record(run, "answers_shown", agent, { answers });
  return pending;
}

/**
 * Records the answer or vote in the agent's accepted response, bound to what the agent was shown. Undefined if there is no unrecorded
 * one. A response that other answers overtook is recorded as ignored. Safe to call again, also after a crash.
 */
export async function recordResponse(
  run: Run,
  agent: string,
  { workspace = null }: { readonly workspace?: string | null } = {},
): Promise<Conclusion | undefined> {
  const pending = pendingOf(run, agent);
  if (pending === undefined || pending.terminal.kind === "end") return undefined;
  const { response, terminal } = pending;
  try {
    return await (terminal.kind === "answer"
      ? accept(run, agent, response, terminal, workspace)
      : cast(run, agent, response, terminal));
  } catch (error) {
    if (await isElsewhere(run, agent, response, error)) return undefined;
    const unseen = unseenAnswers(run.view(consensusState), agent).map(({ label }) => label);
    const reason =
      unseen.length > 0
        ? `${unseen.slice(0, 10).join(", ")} came before it`
        : messageOf(error).slice(0, 500);
    try {
      await record(run, `${terminal.kind}_ignored`, agent, { response, reason });
    } catch (again) {
      if (await isElsewhere(run, agent, response, again)) return undefined;
      throw again;
    }
    return { kind: "ignored", reason };
  }
}

// Whether another process has already concluded this response, or judged a later one of this agent.
async function isElsewhere(
  run: Run,
  agent: string,
  response: number,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof BylawError) || error.code !== "BYLAW_EVENT_REFUSED") throw error;
  await run.catchUp();
  return pendingOf(run, agent)?.response !== response;
}

function pendingOf(run: Run, agent: string): Consensus["pending"][string] | undefined {
  const { pending } = run.view(consensusState);
  return Object.hasOwn(pending, agent) ? pending[agent] : undefined;
}

async function accept(
  run: Run,
  agent: string,
  response: number,
  { content }: Extract<TurnEnd, { kind: "answer" }>,
  workspace: string | null,
): Promise<Conclusion> {
  const state = run.view(consensusState);
  const revision = (state.answers.find((answer) => answer.agent === agent)?.revision ?? 0) + 1;
  const label = labelOf(state, agent, revision);
  await record(run, "answer_accepted", agent, {
    response,
    label,
    revision,
    sha256: sha256Of(content),
    workspace,
  });
  return { kind: "answer", label };
}

async function cast(
  run: Run,
  agent: string,
  response: number,
  { target, reason }: Extract<TurnEnd, { kind: "vote" }>,
): Promise<Conclusion> {
  const state = run.view(consensusState);
  const voted_for = agentByName(state, target);
  const current = state.answers.find((answer) => answer.agent === voted_for);
  if (current === undefined) throw refusal("the agent it names has no answer");
  const { label, revision, sha256 } = current;
  const reason_preview =
    reason === null ? null : Array.from(reason.slice(0, 200)).slice(0, 100).join("");
  await record(run, "vote_accepted", agent, {
    response,
    voted_for: current.agent,
    label,
    revision,
    sha256,
    reason_preview,
  });
  return { kind: "vote", label, agent: current.agent };
}

/** Records the winner by the recorded votes and returns its answer; `undefined` if nobody answered. */
export async function selectWinner(run: Run): Promise<Answer | undefined> {
  const winner = winningAnswer(run.view);
  if (winner === undefined) return undefined;
  const { agent, label, content } = winner;
  const preview = Array.from(content.slice(0, 400)).slice(0, 200).join("");
  await record(run, "winner_selected", agent, { agent, label, preview });
  return winner;
}

const record = (
  run: Run,
  event_type: string,
  agent_id: string | null,
  details: { readonly [key: string]: Json },
): Promise<unknown> =>
  run.record([{ event_type, agent_id, task_id: null, details: details as JsonObject }]);

const refusal = (what: string): BylawError =>
  new BylawError({ code: "BYLAW_EVENT_REFUSED", message: `The vote cannot be recorded: ${what}` });
