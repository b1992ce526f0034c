import type { Answer, Consensus } from "./consensus.ts";
import { turnOf, type AgentTurns } from "./turns.ts";

/** What a record has of its own under a key. */
export function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The alias of an agent, `agent<n>`; nothing where it takes no part. */
export function aliasOf({ agents }: Consensus, agent: string): string | undefined {
  const at = agents.indexOf(agent);
  return at < 0 ? undefined : `agent${at + 1}`;
}

/** The agent that somebody means by an alias or an id. An alias comes first: it is what agents are told. */
export function agentNamed({ agents }: Consensus, name: string): string | undefined {
  const number = /^agent([1-9]\d{0,5})$/.exec(name)?.[1];
  return (number === undefined ? undefined : agents[Number(number) - 1]) ?? agents.find((agent) => agent === name);
}

/** The label of a revision of an agent's answer. */
export const labelOf = (state: Consensus, agent: string, revision: number): string => `${aliasOf(state, agent) ?? agent}.${revision}`;

/** The current answers of others that an agent was not shown, in the order of first answers. */
export function unseenBy(state: Consensus, viewer: string): readonly Answer[] {
  const seen = own(state.shown, viewer) ?? {};
  return state.answers.filter(({ agent, revision }) => agent !== viewer && (own(seen, agent) ?? 0) < revision);
}

/** Whether the time of an agent's round, and the grace after the warning, is over at `at` (RFC 3339). */
export function isTimeOver(state: Consensus, agent: string, round: number, at: string | undefined): boolean {
  const warned = own(state.warned, agent);
  return warned !== undefined && warned.round === round && Date.parse(at ?? "") >= Date.parse(warned.over_at);
}

/** How many calls of an agent in a row were denied because the time was over. */
export const deniedCalls = ({ denials }: Consensus, agent: string): number => own(denials, agent) ?? 0;

/** Whether an agent takes part no more: its turn ended without complying, or it was dropped. */
export function isOut(turns: AgentTurns, agent: string): boolean {
  const { outcome } = turnOf(turns, agent);
  return outcome === "non_compliant" || outcome === "dropped";
}

/** Whether nobody may vote yet, because an agent that is still there has not answered, and may. */
export function isVotingDeferred({ terms, agents, answers, given }: Consensus, turns: AgentTurns): boolean {
  if (!terms.defer_voting || (terms.max_answers_global !== null && given >= terms.max_answers_global)) return false;
  return agents.some((agent) => !isOut(turns, agent) && !answers.some((answer) => answer.agent === agent));
}
