import type { LogEvent } from "@bylaw/kernel";
import { nameAt, textAt } from "./rows.ts";

/** An agent that answers and votes. */
export interface ConsensusAgent {
  readonly agent: string;
  /** The round that it entered last, from 1. */
  readonly round: number;
  /** The label of its present answer, and of the answer that it votes for. */
  readonly answer: string | null;
  readonly vote: string | null;
  readonly dropped: boolean;
}

/** What an agent did in a round. */
export interface ConsensusTurn {
  readonly sequence: number;
  readonly time: string;
  readonly agent: string;
  readonly round: number;
  readonly kind: "answer" | "vote" | "ignored" | "dropped";
  readonly label: string | null;
  readonly text: string | null;
}

/** Agents that seek one answer. */
export interface ConsensusSeen {
  /** The sequence of the event that opened it. */
  readonly opened: number;
  readonly agents: readonly ConsensusAgent[];
  /** The latest turns, the newest last. */
  readonly turns: readonly ConsensusTurn[];
  readonly winner: {
    readonly agent: string;
    readonly label: string | null;
    readonly preview: string | null;
  } | null;
}

/** How many are kept: those opened last, agents and turns of each. */
const KEPT = 20;
const AGENTS = 100;
const TURNS = 200;

/** The consensus of a run after an event, the one opened last at the end. */
export function consensusAfter(
  all: readonly ConsensusSeen[],
  event: LogEvent,
): readonly ConsensusSeen[] {
  const { event_type, agent_id, sequence, details } = event;
  if (event_type === "consensus_opened") {
    const names = Array.isArray(details["agents"]) ? details["agents"] : [];
    const agents = names
      .slice(0, AGENTS)
      .map((name) => ({
        ...{
          agent: String(name).slice(0, 200),
          round: 1,
          answer: null,
          vote: null,
          dropped: false,
        },
      }));
    return [...all.slice(1 - KEPT), { opened: sequence, agents, turns: [], winner: null }];
  }
  const last = all.at(-1);
  const change = Object.hasOwn(CHANGES, event_type) ? CHANGES[event_type] : undefined;
  const agent = last?.agents.find((one) => one.agent === agent_id);
  if (last === undefined || agent === undefined || change === undefined) return all;
  return [...all.slice(0, -1), change(last, agent, event)];
}

type Change = (seen: ConsensusSeen, agent: ConsensusAgent, event: LogEvent) => ConsensusSeen;

const enter: Change = (seen, agent, { details: { round } }) =>
  typeof round === "number" && round > agent.round ? withAgent(seen, { ...agent, round }) : seen;

const ignore: Change = (seen, agent, event) =>
  withTurn(seen, agent, event, "ignored", { text: textAt(event.details, "reason") });

const CHANGES: Readonly<Record<string, Change>> = {
  round_started: enter,
  response_accepted: enter,
  answer_accepted(seen, agent, event) {
    const label = nameAt(event.details, "label");
    // Votes were cast without this answer, so they no longer count.
    const agents = seen.agents.map((one) => ({ ...one, vote: null }));
    const answered = withAgent({ ...seen, agents }, { ...agent, answer: label, vote: null });
    return withTurn(answered, agent, event, "answer", { label });
  },
  vote_accepted(seen, agent, event) {
    const label = nameAt(event.details, "label");
    const text = textAt(event.details, "reason_preview");
    return withTurn(withAgent(seen, { ...agent, vote: label }), agent, event, "vote", {
      ...{ label, text },
    });
  },
  vote_ignored: (seen, agent, event) =>
    ignore(withAgent(seen, { ...agent, vote: null }), agent, event),
  answer_ignored: ignore,
  agent_dropped: (seen, agent, event) =>
    withTurn(withAgent(seen, { ...agent, dropped: true }), agent, event, "dropped", {
      text: textAt(event.details, "reason"),
    }),
  winner_selected: (seen, { agent }, { details }) => ({
    ...seen,
    winner: { agent, label: nameAt(details, "label"), preview: textAt(details, "preview") },
  }),
};

const withAgent = (seen: ConsensusSeen, agent: ConsensusAgent): ConsensusSeen => ({
  ...seen,
  agents: seen.agents.map((one) => (one.agent === agent.agent ? agent : one)),
});

function withTurn(
  seen: ConsensusSeen,
  { agent, round }: ConsensusAgent,
  { sequence, timestamp: time }: LogEvent,
  kind: ConsensusTurn["kind"],
  { label = null, text = null }: Partial<Pick<ConsensusTurn, "label" | "text">>,
): ConsensusSeen {
  const turn = { sequence, time, agent, round, kind, label, text };
  return { ...seen, turns: [...seen.turns.slice(1 - TURNS), turn] };
}
