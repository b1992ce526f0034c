import { COMPLETED_PHASE } from "@bylaw/contract";
import {
  definePlugin,
  defineProjection,
  type EventDraft,
  type LogEvent,
  type View,
} from "@bylaw/kernel";
import { treeDrop, treeGet, treePut, type Finding, type Tree } from "@bylaw/log";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

/** The current token of a task. */
interface StandingToken {
  readonly jti: string;
  /** RFC 3339, UTC. */
  readonly expires_at: string;
  /** The digest of its claims. */
  readonly digest: string;
}

/** The holder of a task and its token. */
export interface Holder {
  /** `null` if nobody holds it: it was never claimed, or the claim has ended. */
  readonly agent: string | null;
  /** The fence of the last claim; 0 if there was none. */
  readonly fence: number;
  /**
   * The digests of the claims of the latest tokens, the oldest first: those of the last claim, and the last one of the claim before,
   * because its agent may ask again for a lost answer. No other token was ever issued.
   */
  readonly issued: readonly string[];
  /** `null` if the task has moved on or was claimed anew, and no token was issued since. */
  readonly token: StandingToken | null;
}

const NOBODY: Holder = { agent: null, fence: 0, issued: [], token: null };

/** The holders of all tasks. */
interface Holdings {
  /** By task. */
  readonly tasks: Tree<Holder>;
  /** The number of tasks that each agent holds. */
  readonly held: Tree<number>;
  /** Whether a task was created other than by a claim. */
  readonly seeded: boolean;
}

/** How many tokens are kept per task. An agent that has lost more answers must claim with its enrolment. */
const KEPT = 16;

/** The prefix in the name of a task that a claim created. */
export const CREATED_BY_CLAIM = "claim-";

/** The holder of each task, according to the log. */
const holders = defineProjection<Holdings>({
  name: `${manifest.name}/holders`,
  version: 4,
  scope: "task",
  initial: { tasks: null, held: null, seeded: false },
  reduce(state, event) {
    const { event_type, task_id } = event;
    if (task_id === null) return state;
    if (event_type === "task_created")
      return state.seeded || task_id.startsWith(CREATED_BY_CLAIM)
        ? state
        : { ...state, seeded: true };
    // Most events change nothing here.
    if (!CHANGES.has(event_type)) return state;
    const before = treeGet(state.tasks, task_id) ?? NOBODY;
    const after = heldAfter(before, event);
    const tasks = treePut(state.tasks, task_id, after);
    if (after.agent === before.agent) return { ...state, tasks };
    return {
      ...state,
      tasks,
      held: counted(counted(state.held, before.agent, -1), after.agent, 1),
    };
  },
});

const CHANGES: ReadonlySet<string> = new Set([
  "task_claimed",
  "task_released",
  "task_failed",
  "task_lapsed",
  "task_escalated",
  "phase_entered",
  "token_revoked",
  "token_issued",
]);

function heldAfter(before: Holder, { event_type, agent_id, details }: LogEvent): Holder {
  switch (event_type) {
    case "task_claimed":
      return {
        agent: agent_id,
        fence: Number(details["fence"]),
        issued: before.issued.slice(-1),
        token: null,
      };
    case "task_released":
    case "task_failed":
    case "task_lapsed":
    case "task_escalated":
      return ended(before);
    case "phase_entered":
      return details["to"] === COMPLETED_PHASE ? ended(before) : { ...before, token: null };
    case "token_revoked":
      return { ...before, issued: [], token: null };
    case "token_issued": {
      const { jti, expires_at, claims_digest } = details;
      // The log is from before digests were recorded, so that token can no longer be checked.
      if (typeof claims_digest !== "string") return { ...before, token: null };
      const issued = [...before.issued, claims_digest].slice(-KEPT);
      return {
        ...before,
        issued,
        token: { jti: String(jti), expires_at: String(expires_at), digest: claims_digest },
      };
    }
    default:
      return before;
  }
}

const ended = (before: Holder): Holder => ({
  ...before,
  agent: null,
  issued: before.issued.slice(-1),
  token: null,
});

function counted(held: Tree<number>, agent: string | null, more: number): Tree<number> {
  if (agent === null) return held;
  const count = (treeGet(held, agent) ?? 0) + more;
  return count === 0 ? treeDrop(held, agent) : treePut(held, agent, count);
}

export const holderOf = (view: View, task: string): Holder | undefined =>
  treeGet(view(holders).tasks, task);

export const countHeldBy = (view: View, agent: string): number =>
  treeGet(view(holders).held, agent) ?? 0;

/** Whether a task was created other than by a claim. */
export const hasPlannedTasks = (view: View): boolean => view(holders).seeded;

/**
 * Declares the guards that only the holder of a task gets its token, and that no agent holds too many tasks. So a lost answer to a claim
 * takes nothing from the next agent.
 */
export const holdersPlugin = definePlugin({
  name: `${manifest.name}/holders`,
  version: manifest.version,
  options: z
    .strictObject({
      per_agent: z
        .int()
        .min(0)
        .default(0)
        .describe("How many tasks one agent may hold at once; 0 for any number"),
    })
    .prefault({}),
  apply(kernel, { per_agent }) {
    kernel.projection(holders);
    kernel.guard("token", (view, event) => tokenFault(view, event));
    if (per_agent > 0) kernel.guard("claim", (view, event) => claimFault(view, event, per_agent));
  },
});

function claimFault(
  view: View,
  { event_type, agent_id }: EventDraft,
  most: number,
): Finding | undefined {
  if (event_type !== "task_claimed" || agent_id === null || countHeldBy(view, agent_id) < most)
    return undefined;
  return { rule: "TASKS_HELD", message: `an agent holds at most ${most} tasks at once` };
}

function tokenFault(view: View, { event_type, task_id, details }: EventDraft): Finding | undefined {
  if (event_type !== "token_issued" || task_id === null) return undefined;
  const { agent, fence } = holderOf(view, task_id) ?? NOBODY;
  // A task that was never claimed has no holder.
  if (fence === 0 || agent === details["agent"]) return undefined;
  return { rule: "TOKEN_HOLDER", message: "a token is for the agent that holds the task" };
}
