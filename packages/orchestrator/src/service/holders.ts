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
  /** Of the last claim. */
  readonly agent: string | null;
  readonly fence: number;
  /** `null`: the task moved on or was claimed anew, and nobody was handed a token since. */
  readonly token: StandingToken | null;
}

/** The holder of each task, as the log says. */
const holders = defineProjection<Tree<Holder>>({
  name: `${manifest.name}/holders`,
  version: 1,
  initial: null,
  reduce(state, { event_type, task_id, agent_id, details }) {
    if (task_id === null) return state;
    const before = treeGet(state, task_id) ?? { agent: null, fence: 0, token: null };
    switch (event_type) {
      case "task_claimed":
        return treePut(state, task_id, { agent: agent_id, fence: Number(details["fence"]), token: null });
      case "phase_entered":
      case "token_revoked":
        return treePut(state, task_id, { ...before, token: null });
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
  const { agent = null } = holderOf(view, task_id) ?? {};
  if (agent === null || agent === details["agent"]) return undefined;
  return { rule: "TOKEN_HOLDER", message: "a token is for the agent that holds the task" };
}
