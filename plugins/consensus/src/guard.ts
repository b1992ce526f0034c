import {
  agentByName,
  isTimeOver,
  labelOf,
  unseenAnswers,
  consensusState,
  type Consensus,
  type TurnEnd,
} from "@bylaw/consensus";
import type { EventDraft, Guard, Json, JsonObject, View } from "@bylaw/kernel";
import { agentTurns, turnOf, type Finding } from "@bylaw/log";
import { sha256Of } from "./sha256.ts";
import { isVotingDeferred, winningAnswer } from "./allowed-turn.ts";

type Check = (
  state: Consensus,
  event: EventDraft,
  agent: string,
  view: View,
) => Finding | undefined;

/** Refuses impossible events: an answer or vote without an accepted response, or one that came too late. */
export const consensusGuard: Guard = (view, event) => {
  const state = view(consensusState);
  if (event.event_type === "consensus_opened") {
    return state.agents.length === 0
      ? undefined
      : finding("CONSENSUS_OPEN", "The consensus is already open.");
  }
  const check = CHECKS[event.event_type];
  if (check === undefined) return undefined;
  const { agent_id: agent } = event;
  if (agent === null || !state.agents.includes(agent))
    return finding("AGENT_UNKNOWN", "This agent does not take part in the consensus.");
  if (state.winner !== null)
    return finding("CONSENSUS_OVER", "A winner has been selected, so nothing can follow.");
  return check(state, event, agent, view);
};

const CHECKS: Readonly<Record<string, Check>> = Object.assign(Object.create(null) as object, {
  answer_accepted: (state, event, agent, view) => {
    const { details } = event;
    const terminal = accepted(state, details, agent, "answer");
    if (terminal?.kind !== "answer") return notAccepted("an answer");
    const { max_answers_per_agent: each, max_answers_global: all } = state.terms;
    const before = state.answers.find((answer) => answer.agent === agent)?.revision ?? 0;
    if ((each !== null && before >= each) || (all !== null && state.given >= all))
      return finding("ANSWER_LIMIT", "The agent, or all agents together, have no answers left.");
    if (state.terms.fairness === "turns" && isBehind(state, event, agent, view))
      return finding("ANSWER_STALE", "The agent has not been shown every current answer.");
    const { revision, label, sha256 } = details;
    const fits =
      revision === before + 1 &&
      label === labelOf(state, agent, before + 1) &&
      sha256 === sha256Of(terminal.content);
    return fits
      ? undefined
      : finding(
          "ANSWER_MISFIT",
          "An answer must be the next revision, with its label and the digest of the accepted text.",
        );
  },
  answers_shown: (state, { details }) => {
    const shown = (details["answers"] as readonly JsonObject[]).every(
      ({ agent, revision, sha256 }) => {
        const label = labelOf(state, String(agent), Number(revision));
        return Object.hasOwn(state.digests, label) && state.digests[label] === sha256;
      },
    );
    return shown
      ? undefined
      : finding("ANSWER_UNKNOWN", "Only answers that are on record can be shown.");
  },
  vote_accepted: (state, event, agent, view) => {
    const { voted_for, revision, label, sha256 } = event.details;
    const terminal = accepted(state, event.details, agent, "vote");
    if (terminal?.kind !== "vote" || agentByName(state, terminal.target) !== voted_for)
      return notAccepted("this vote");
    if (isVotingDeferred(view))
      return finding("VOTE_DEFERRED", "Every agent must answer before anyone votes.");
    const current = state.answers.find((answer) => answer.agent === voted_for);
    const fits =
      current !== undefined &&
      current.revision === revision &&
      current.sha256 === sha256 &&
      current.label === label;
    if (!fits) return finding("VOTE_STALE", "The vote is not for the current answer.");
    return isBehind(state, event, agent, view)
      ? finding("VOTE_STALE", "The voter has not been shown every current answer.")
      : undefined;
  },
  answer_ignored: (state, { details }, agent) =>
    accepted(state, details, agent, "answer") === undefined ? notAccepted("an answer") : undefined,
  vote_ignored: (state, { details }, agent) =>
    accepted(state, details, agent, "vote") === undefined ? notAccepted("a vote") : undefined,
  time_warning: (state, { details: { round } }, agent, view) => {
    const warned = Object.hasOwn(state.warned, agent) && state.warned[agent]?.round === round;
    const now = Math.max(1, turnOf(view(agentTurns), agent).round);
    return !warned && round === now
      ? undefined
      : finding(
          "TIME_WARNED",
          "An agent is warned once in each round, and only in its current round.",
        );
  },
  winner_selected: (state, { details }, agent, view) => {
    const winner = winningAnswer(view);
    const fits =
      winner !== undefined &&
      winner.agent === agent &&
      details["agent"] === agent &&
      winner.label === details["label"];
    return fits
      ? undefined
      : finding("WINNER_MISFIT", "This is not the winner by the votes on record.");
  },
} satisfies Record<string, Check>);

// Whether an agent has not seen every current answer, although its time is not over.
function isBehind(state: Consensus, { timestamp }: EventDraft, agent: string, view: View): boolean {
  const round = Math.max(1, turnOf(view(agentTurns), agent).round);
  return unseenAnswers(state, agent).length > 0 && !isTimeOver(state, agent, round, timestamp);
}

function accepted(
  state: Consensus,
  { response }: { readonly [key: string]: Json | undefined },
  agent: string,
  kind: string,
): TurnEnd | undefined {
  const pending = Object.hasOwn(state.pending, agent) ? state.pending[agent] : undefined;
  return pending?.response === response && pending?.terminal.kind === kind
    ? pending?.terminal
    : undefined;
}

const finding = (rule: string, message: string): Finding => ({ rule, message });
const notAccepted = (what: string): Finding =>
  finding("RESPONSE_MISSING", `No accepted response of this agent holds ${what}.`);
