import {
  defineProjection,
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { own } from "./own.ts";
import { terminalOf, type TurnEnd } from "./turn-end.ts";

/** The terms for answers and votes. */
export interface ConsensusTerms {
  /** The most answers that one agent may give. Null means any number. */
  readonly max_answers_per_agent: number | null;
  /** The most answers that all agents together may give. Null means any number. */
  readonly max_answers_global: number | null;
  /** Whether voting waits until every agent that still takes part has answered. */
  readonly defer_voting: boolean;
  /** What an agent must not do before it has seen every answer: vote, or end its turn at all. */
  readonly fairness: "votes" | "turns";
}

/** One revision of an agent's answer. */
export interface Answer {
  readonly agent: string;
  /** The alias of the agent and the revision, such as `agent2.1`. */
  readonly label: string;
  /** From 1. */
  readonly revision: number;
  /** The number of the answer among those of all agents, from 1. */
  readonly nth: number;
  /** The digest of the recorded content, as `sha256:…`. */
  readonly sha256: string;
  readonly content: string;
  /** The folder in which the agent worked. */
  readonly workspace: string | null;
}

/** A valid vote, bound to the answers that the voter was shown. */
export interface Vote {
  readonly agent: string;
  readonly label: string;
  readonly revision: number;
  readonly sha256: string;
}

/** The answers and votes in a log. Records are keyed by the host's agent ids. */
export interface Consensus {
  /** The agents, sorted by UTF-16 code unit. The n-th has the alias `agent<n>`. */
  readonly agents: readonly string[];
  readonly terms: ConsensusTerms;
  /** The current answer of each agent, in the order of their first answers. */
  readonly answers: readonly Answer[];
  /** The number of answers, including all revisions. */
  readonly given: number;
  /** The digest of every revision, by label. */
  readonly digests: Readonly<Record<string, string>>;
  /** The newest revision that each viewer was shown, by viewer and agent. */
  readonly shown: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The valid votes, by voter. */
  readonly votes: Readonly<Record<string, Vote>>;
  /** Accepted responses that are not yet recorded as an answer or a vote. */
  readonly pending: Readonly<
    Record<string, { readonly response: number; readonly terminal: TurnEnd }>
  >;
  /** Agents that were warned that their round is almost over. */
  readonly warned: Readonly<Record<string, { readonly round: number; readonly over_at: string }>>;
  /** How many calls of each agent in a row were denied because the time was over. */
  readonly denials: Readonly<Record<string, number>>;
  readonly winner: string | null;
}

const TERMS: ConsensusTerms = {
  max_answers_per_agent: null,
  max_answers_global: null,
  defer_voting: false,
  fairness: "votes",
};
const NOTHING: Consensus = {
  ...{ agents: [], terms: TERMS, answers: [], given: 0, digests: {}, shown: {}, votes: {} },
  ...{ pending: {}, warned: {}, denials: {}, winner: null },
};

/** The decision code of a call after the time of a round. */
export const TIME_OVER = "round_time_over";

/**
 * The answers, the votes, and which answers each agent was shown. It does not check events: the guard of the plugin keeps
 * impossible ones out of the log.
 */
export const consensusState = defineProjection<Consensus>({
  name: "bylaw/consensus",
  version: 1,
  scope: "task",
  initial: NOTHING,
  reduce(state, event) {
    const { agent_id: agent, event_type, details } = event;
    if (event_type === "consensus_opened")
      return {
        ...NOTHING,
        agents: texts(details["agents"]).toSorted(byUnit),
        terms: termsOf(details),
      };
    if (agent === null || !state.agents.includes(agent)) return state;
    return REDUCERS[event_type]?.(state, event, agent) ?? state;
  },
});

type Reducer = (state: Consensus, event: LogEvent, agent: string) => Consensus;

const REDUCERS: Readonly<Record<string, Reducer>> = Object.assign(Object.create(null) as object, {
  response_accepted: (state, { sequence, details }, agent) => {
    const terminal = terminalOf(details["terminal"]);
    const { [agent]: _, ...others } = state.pending;
    return {
      ...state,
      pending:
        terminal === undefined ? others : { ...others, [agent]: { response: sequence, terminal } },
    };
  },
  answer_accepted: (state, { details }, agent) => {
    const { [agent]: accepted, ...pending } = state.pending;
    const content = accepted?.terminal.kind === "answer" ? accepted.terminal.content : "";
    const { workspace } = details;
    const answer = {
      agent,
      ...boundTo(details),
      nth: state.given + 1,
      content,
      workspace: typeof workspace === "string" ? workspace : null,
    };
    const at = state.answers.findIndex((one) => one.agent === agent);
    const answers = at < 0 ? [...state.answers, answer] : state.answers.with(at, answer);
    const digests = { ...state.digests, [answer.label]: answer.sha256 };
    // Earlier votes are dropped, because they were cast without this answer.
    return {
      ...state,
      pending,
      answers,
      digests,
      given: state.given + 1,
      votes: {},
      shown: shownTo(state, agent, [answer]),
    };
  },
  answers_shown: (state, { details: { answers } }, agent) => ({
    ...state,
    shown: shownTo(
      state,
      agent,
      (Array.isArray(answers) ? (answers as readonly Json[]) : []).flatMap((item) =>
        isJsonObject(item)
          ? [{ agent: String(item["agent"]), revision: Number(item["revision"]) }]
          : [],
      ),
    ),
  }),
  vote_accepted: (state, { details }, agent) => {
    const { [agent]: _, ...pending } = state.pending;
    const vote = { agent: String(details["voted_for"]), ...boundTo(details) };
    return { ...state, pending, votes: { ...state.votes, [agent]: vote } };
  },
  answer_ignored: (state, _, agent) => {
    const { [agent]: _pending, ...pending } = state.pending;
    return { ...state, pending };
  },
  vote_ignored: (state, _, agent) => {
    const { [agent]: _pending, ...pending } = state.pending;
    const { [agent]: _vote, ...votes } = state.votes;
    return { ...state, pending, votes };
  },
  time_warning: (state, { details: { round, grace_ms }, timestamp }, agent) => {
    const over_at = new Date(Date.parse(timestamp) + Number(grace_ms)).toISOString();
    return {
      ...state,
      warned: { ...state.warned, [agent]: { round: Number(round), over_at } },
      denials: { ...state.denials, [agent]: 0 },
    };
  },
  tool_denied: (state, { details: { decision } }, agent) =>
    isLate(decision)
      ? { ...state, denials: { ...state.denials, [agent]: (own(state.denials, agent) ?? 0) + 1 } }
      : state,
  tool_allowed: (state, _, agent) =>
    (own(state.denials, agent) ?? 0) === 0
      ? state
      : { ...state, denials: { ...state.denials, [agent]: 0 } },
  winner_selected: (state, _, agent) => ({ ...state, winner: agent }),
} satisfies Record<string, Reducer>);

// Any plugin may have made the decision, so this looks at all votes.
function isLate(decision: Json | undefined): boolean {
  const votes = isJsonObject(decision) ? decision["votes"] : undefined;
  return (
    Array.isArray(votes) &&
    (votes as readonly Json[]).some((vote) => isJsonObject(vote) && vote["code"] === TIME_OVER)
  );
}

const byUnit = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
const texts = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter((item) => typeof item === "string") : [];
const limit = (value: Json | undefined): number | null =>
  typeof value === "number" ? value : null;

const termsOf = (details: JsonObject): ConsensusTerms => ({
  max_answers_per_agent: limit(details["max_answers_per_agent"]),
  max_answers_global: limit(details["max_answers_global"]),
  defer_voting: details["defer_voting"] === true,
  fairness: details["fairness"] === "turns" ? "turns" : "votes",
});

const boundTo = ({
  label,
  revision,
  sha256,
}: JsonObject): { readonly label: string; readonly revision: number; readonly sha256: string } => ({
  label: String(label),
  revision: Number(revision),
  sha256: String(sha256),
});

function shownTo(
  state: Consensus,
  viewer: string,
  answers: readonly Pick<Answer, "agent" | "revision">[],
): Consensus["shown"] {
  const before = own(state.shown, viewer) ?? {};
  const after = { ...before };
  for (const { agent, revision } of answers) {
    if (state.agents.includes(agent)) after[agent] = Math.max(own(after, agent) ?? 0, revision);
  }
  return { ...state.shown, [viewer]: after };
}
