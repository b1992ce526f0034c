import { defineProjection, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "./tree.ts";

/** How the turn of an agent ended; `null` while it is still running. */
export type TurnOutcome = "ok" | "non_compliant" | "dropped" | null;

/** Where one agent stands. */
export interface AgentTurn {
  /** The round that the agent is in, from 1; 0 before its first. */
  readonly round: number;
  /** Every round that it entered, in the order of entry. */
  readonly rounds: readonly number[];
  /** Attempts that this round has cost it. */
  readonly attempts: number;
  /** Responses of this round that did not comply and cost no attempt. */
  readonly free: number;
  /** Responses in a row that were accepted although the turn went on. */
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

/** Whether the details of an `enforcement` event are those of a response that came after the end of the agent's turn. */
export const isTurnOver = ({ reason }: JsonObject): boolean => reason === "turn_over";

/** How often a response may be tried where nobody says so. */
export const MAX_ATTEMPTS = 3;

/** Reasons that are not the agent's doing: they cost no attempt. */
export const FREE_REASONS: ReadonlySet<unknown> = new Set(["stale_revision"]);

/** Rounds, attempts and outcome of every agent, as the log says. Rounds advance for each agent alone, and attempts begin anew with each. */
export const agentTurns = defineProjection<AgentTurns>({
  name: "bylaw/agents",
  version: 2,
  scope: "task",
  initial: null,
  reduce(state, event) {
    // A host with one agent may leave its name out; its attempts are spent all the same.
    const agent = event.agent_id ?? "";
    const before = turnOf(state, agent);
    const after = step(before, event);
    return after === before ? state : treePut(state, agent, after);
  },
});

/** Where an agent stands; before its first event nowhere yet. Who has no name is the empty text. */
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
    // What comes after the end of a turn does not change how it ended, nor does it spend anything.
    if (isTurnOver(details) && entered === before) return before;
    const { attempts, free, ...turn } = entered;
    const cost = FREE_REASONS.has(details["reason"])
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
  // Who had not begun is dropped from its first round.
  return { ...enter(before, {}), outcome: "dropped" };
}

// A round that is over is not entered again: what comes late counts where the agent is now.
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

/** Characters of a response that did not reach the retry, by the details of its `enforcement` event. */
export function charsLost({ buffer_chars, recovery, reason, final }: JsonObject): number {
  const chars = typeof buffer_chars === "number" && buffer_chars > 0 ? buffer_chars : 0;
  if (final === true) return chars;
  return recovery === "inline" || CARRIED_OVER.has(reason) ? 0 : chars;
}

/** Reasons whose restart hands the text of the response on to the next attempt. */
export const CARRIED_OVER: ReadonlySet<unknown> = new Set(["no_tool_calls"]);
