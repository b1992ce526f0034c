import { defineProjection, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "./tree.ts";

/** How the turn of an agent ended; `null` while it is still running. */
export type TurnOutcome = "ok" | "non_compliant" | "dropped" | null;

/** The rounds and attempts of one agent. */
export interface AgentTurn {
  /** The current round of the agent, from 1; 0 before its first. */
  readonly round: number;
  /** Every round that the agent entered, in order. */
  readonly rounds: readonly number[];
  /** Attempts that the agent has spent in this round. */
  readonly attempts: number;
  /** Responses of this round that did not comply and cost no attempt. */
  readonly free: number;
  /** Consecutive responses that were accepted although the turn continued. */
  readonly progress: number;
  readonly outcome: TurnOutcome;
}

/** The state of {@link agentTurns}: a tree by agent. */
export type AgentTurns = Tree<AgentTurn>;

const NEVER: AgentTurn = Object.freeze({
  round: 0,
  rounds: Object.freeze([]),
  attempts: 0,
  free: 0,
  progress: 0,
  outcome: null,
});

/** Whether the details of an `enforcement` event are those of a response after the end of the agent's turn. */
export const isTurnOver = ({ reason }: JsonObject): boolean => reason === "turn_over";

/** The default number of attempts for a response. */
export const MAX_ATTEMPTS = 3;

/** Reasons that are not the agent's fault and cost no attempt. */
export const UNCOUNTED_REASONS: ReadonlySet<unknown> = new Set(["stale_revision"]);

/**
 * The rounds, attempts and outcome of every agent, according to the log. Each agent has its own rounds, and attempts start again with each
 * round.
 */
export const agentTurns = defineProjection<AgentTurns>({
  name: "bylaw/agents",
  version: 2,
  scope: "task",
  initial: null,
  reduce(state, event) {
    // A host with one agent may omit its name. Its attempts count all the same.
    const agent = event.agent_id ?? "";
    const before = turnOf(state, agent);
    const after = step(before, event);
    return after === before ? state : treePut(state, agent, after);
  },
});

/** The turn of an agent, or the state before its first event. An unnamed agent is the empty string. */
export const turnOf = (state: AgentTurns, agent: string): AgentTurn =>
  treeGet(state, agent) ?? NEVER;

function step(before: AgentTurn, { event_type, details }: LogEvent): AgentTurn {
  if (event_type === "round_started") {
    const entered = enter(before, details);
    return entered === before ? before : { ...entered, outcome: null };
  }
  if (event_type === "response_accepted") {
    const turn = enter(before, details);
    return details["progress"] === true
      ? { ...turn, progress: turn.progress + 1, outcome: null }
      : { ...turn, progress: 0, outcome: "ok" };
  }
  if (event_type === "enforcement") {
    const entered = enter(before, details);
    // A response after the end of a turn neither changes how it ended nor costs an attempt.
    if (isTurnOver(details) && entered === before) return before;
    const { attempts, free, ...turn } = entered;
    const cost = UNCOUNTED_REASONS.has(details["reason"])
      ? { attempts, free: free + 1 }
      : { attempts: attempts + 1, free };
    return {
      ...turn,
      ...cost,
      progress: 0,
      outcome: details["final"] === true ? "non_compliant" : null,
    };
  }
  if (event_type !== "agent_dropped" || before.outcome === "non_compliant") return before;
  // An agent that had not begun is dropped in its first round.
  return { ...enter(before, {}), outcome: "dropped" };
}

// A finished round is not entered again. A late event counts for the agent's current round.
function enter(turn: AgentTurn, { round }: JsonObject): AgentTurn {
  const named =
    typeof round === "number" && Number.isSafeInteger(round) ? round : Math.max(1, turn.round);
  if (named <= turn.round) return turn;
  return {
    ...turn,
    round: named,
    rounds: [...turn.rounds, named],
    attempts: 0,
    free: 0,
    progress: 0,
  };
}

/** The number of characters of a response that are lost to the retry, from the details of its `enforcement` event. */
export function lostCharacters({ buffer_chars, recovery, reason, final }: JsonObject): number {
  const chars = typeof buffer_chars === "number" && buffer_chars > 0 ? buffer_chars : 0;
  if (final === true) return chars;
  return recovery === "inline" || CARRIED_OVER.has(reason) ? 0 : chars;
}

/** Reasons after which the text of the response is passed on to the next attempt. */
export const CARRIED_OVER: ReadonlySet<unknown> = new Set(["no_tool_calls"]);
