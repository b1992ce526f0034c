import {
  aliasOf,
  hasLeft,
  defersVoting,
  unseenAnswers,
  consensusState,
  type Answer,
} from "@bylaw/consensus";
import type { View } from "@bylaw/kernel";
import { agentTurns } from "@bylaw/log";

export type AllowedTurn =
  /** Work, answer or vote. */
  | "work"
  /** Vote, but give no more answers. */
  | "vote_only"
  /** Nothing until the others have answered. */
  | "wait"
  /** Nothing any more: the turn ended without a valid response, or the agent was dropped. */
  | "out";

/** What an agent may do now, according to the log. */
export function allowedTurn(view: View, agent: string): AllowedTurn {
  const state = view(consensusState);
  if (hasLeft(view(agentTurns), agent)) return "out";
  const { max_answers_per_agent: each, max_answers_global: all } = state.terms;
  // All answers are used up, so there is nothing to wait for.
  if (all !== null && state.given >= all) return "vote_only";
  const answered = state.answers.find((answer) => answer.agent === agent)?.revision ?? 0;
  if (each === null || answered < each) return "work";
  return isVotingDeferred(view) ? "wait" : "vote_only";
}

/** Whether voting must wait because an agent that is still taking part has not answered. */
export const isVotingDeferred = (view: View): boolean =>
  defersVoting(view(consensusState), view(agentTurns));

/** The tools that an agent may use now: no answer tools once it may only vote, and no vote tools while voting must wait. */
export function workflowTools(
  view: View,
  agent: string,
  {
    tools,
    answer,
    vote,
  }: {
    readonly tools: readonly string[];
    readonly answer: readonly string[];
    readonly vote: readonly string[];
  },
): readonly string[] {
  const closed = new Set(allowedTurn(view, agent) === "work" ? [] : answer);
  if (isVotingDeferred(view)) for (const tool of vote) closed.add(tool);
  return tools.filter((tool) => !closed.has(tool));
}

/** The agents that can be voted for, by alias. Offer these values in the tool, because every other is refused. */
export function candidates(view: View): readonly string[] {
  const state = view(consensusState);
  return state.agents.flatMap((agent) =>
    state.answers.some((answer) => answer.agent === agent) ? (aliasOf(state, agent) ?? []) : [],
  );
}

/** Current answers of others that the agent was not shown, newest first. */
export function pendingAnswers(
  view: View,
  agent: string,
  { at_most = Infinity }: { readonly at_most?: number } = {},
): readonly Answer[] {
  const state = view(consensusState);
  const newest = unseenAnswers(state, agent).toSorted((left, right) => right.nth - left.nth);
  return newest.slice(0, at_most);
}

/** How many live votes each answer has, by label. */
export function tally(view: View): Readonly<Record<string, number>> {
  const { answers, votes } = view(consensusState);
  const voted = Object.values(votes);
  const counts = answers.map(
    ({ label }) => [label, voted.filter((vote) => vote.label === label).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The answer with the most live votes. On a tie, or without votes, the answer of the agent that answered first. */
export function winningAnswer(view: View): Answer | undefined {
  const { answers } = view(consensusState);
  const counts = tally(view);
  const votes = ({ label }: Answer): number =>
    Object.hasOwn(counts, label) ? (counts[label] ?? 0) : 0;
  return answers.reduce<Answer | undefined>(
    (best, answer) => (best === undefined || votes(answer) > votes(best) ? answer : best),
    undefined,
  );
}
