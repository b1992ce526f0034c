import { turnOf, type AgentTurns } from "@bylaw/log";
import type { Answer, Consensus } from "./consensus.ts";
import { own } from "./own.ts";

/** The alias of an agent, `agent<n>`. Undefined if it does not take part. */
export function aliasOf({ agents }: Consensus, agent: string): string | undefined {
  const at = agents.indexOf(agent);
  return at < 0 ? undefined : `agent${at + 1}`;
}

/** The agent with this alias or id. An alias takes precedence, because agents know each other by aliases. */
export function agentByName({ agents }: Consensus, name: string): string | undefined {
  const number = /^agent([1-9]\d{0,5})$/.exec(name)?.[1];
  return (
    (number === undefined ? undefined : agents[Number(number) - 1]) ??
    agents.find((agent) => agent === name)
  );
}

/** The label of one revision of an agent's answer. */
export const labelOf = (state: Consensus, agent: string, revision: number): string =>
  `${aliasOf(state, agent) ?? agent}.${revision}`;

/** The current answers of other agents that this agent was not shown, in the order of the first answers. */
export function unseenAnswers(state: Consensus, viewer: string): readonly Answer[] {
  const seen = own(state.shown, viewer) ?? {};
  return state.answers.filter(
    ({ agent, revision }) => agent !== viewer && (own(seen, agent) ?? 0) < revision,
  );
}

/** Whether an agent's round is over at `at` (RFC 3339), including the grace period after its warning. */
export function isTimeOver(
  state: Consensus,
  agent: string,
  round: number,
  at: string | undefined,
): boolean {
  const warned = own(state.warned, agent);
  return (
    warned !== undefined &&
    warned.round === round &&
    Date.parse(at ?? "") >= Date.parse(warned.over_at)
  );
}

/** How many calls of an agent in a row were denied because its time was over. */
export const deniedCalls = ({ denials }: Consensus, agent: string): number =>
  own(denials, agent) ?? 0;

/** Whether an agent no longer takes part: its turn ended without a valid response, or it was dropped. */
export function hasLeft(turns: AgentTurns, agent: string): boolean {
  const { outcome } = turnOf(turns, agent);
  return outcome === "non_compliant" || outcome === "dropped";
}

/** Whether nobody may vote yet, because an agent that still takes part may answer and has not done so. */
export function defersVoting(
  { terms, agents, answers, given }: Consensus,
  turns: AgentTurns,
): boolean {
  if (
    !terms.defer_voting ||
    (terms.max_answers_global !== null && given >= terms.max_answers_global)
  )
    return false;
  return agents.some(
    (agent) => !hasLeft(turns, agent) && !answers.some((answer) => answer.agent === agent),
  );
}
