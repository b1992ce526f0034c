import { COMPLETED } from "@bylaw/contract";
import { defineProjection, definePlugin, type EventDraft, type Finding, type View } from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "@bylaw/log";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

/** The token that holds for a task. */
interface StandingToken {
  readonly jti: string;
  readonly agent: string;
  readonly phase: string | null;
  /** RFC 3339, UTC. */
  readonly expires_at: string;
}

/** Who holds a task, and by which token. */
export interface Holder {
  /** `null`: nobody claimed it, or whoever did gave it back, lost it or completed it. */
  readonly agent: string | null;
  /** Of the last claim; 0: there was none. */
  readonly fence: number;
  /** Whether a token was taken from the claim that holds it. */
  readonly revoked: boolean;
  /** `null`: the task moved on or was claimed anew, and nobody was handed a token since. */
  readonly token: StandingToken | null;
}

const NOBODY: Holder = { agent: null, fence: 0, revoked: false, token: null };

/** The holder of each task, as the log says. */
const holders = defineProjection<Tree<Holder>>({
  name: `${manifest.name}/holders`,
  version: 2,
  initial: null,
  reduce(state, { event_type, task_id, agent_id, details }) {
    if (task_id === null) return state;
    const before = treeGet(state, task_id) ?? NOBODY;
    switch (event_type) {
      case "task_claimed":
        return treePut(state, task_id, { agent: agent_id, fence: Number(details["fence"]), revoked: false, token: null });
      case "task_released":
      case "task_failed":
      case "task_lapsed":
      case "task_escalated":
        return treePut(state, task_id, { ...before, agent: null, token: null });
      case "phase_entered":
        return treePut(state, task_id, { ...before, agent: details["to"] === COMPLETED ? null : before.agent, token: null });
      case "token_revoked":
        return treePut(state, task_id, { ...before, revoked: true, token: null });
      case "token_issued": {
        const { jti, agent, phase = null, expires_at } = details;
        const token = {
          jti: String(jti),
          agent: String(agent),
          phase: phase === null ? null : String(phase),
          expires_at: String(expires_at),
        };
        return treePut(state, task_id, { ...before, token });
      }
      default:
        return state;
    }
  },
});

/** Who holds a task. */
export const holderOf = (view: View, task: string): Holder | undefined => treeGet(view(holders), task);

/** A token is for whoever holds the task: the answer to a claim that was lost in between takes nothing away from the next agent. */
export const holdersPlugin = definePlugin({
  name: `${manifest.name}/holders`,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.projection(holders);
    kernel.guard("token", (view, event) => tokenFault(view, event));
  },
});

function tokenFault(view: View, { event_type, task_id, details }: EventDraft): Finding | undefined {
  if (event_type !== "token_issued" || task_id === null) return undefined;
  const { agent, fence } = holderOf(view, task_id) ?? NOBODY;
  // Of a task that nobody ever claimed there is no holder.
  if (fence === 0 || agent === details["agent"]) return undefined;
  return { rule: "TOKEN_HOLDER", message: "a token is for the agent that holds the task" };
}
