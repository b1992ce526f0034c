import { defineProjection, isJsonObject, type View } from "@bylaw/kernel";

/** A call of an agent that has not returned. */
export interface OpenCall {
  /** The sequence of the event that granted it. */
  readonly sequence: number;
  readonly agent: string;
  /** The agent that made the call. */
  readonly by: string | null;
  readonly task: string | null;
  readonly step: string | null;
  readonly reason: string | null;
}

/** The agents that are working because another one called them. */
export interface AgentCalls {
  /** The number of calls so far. */
  readonly total: number;
  /** For each called agent that has not returned: the chain of callers, from the first to the agent itself. */
  readonly chains: Readonly<Record<string, readonly string[]>>;
  /** The same calls with their requests, by the called agent. */
  readonly open: Readonly<Record<string, OpenCall>>;
}

/** The open calls of a run, by the log. */
export const agentCalls = defineProjection<AgentCalls>({
  name: "@bylaw/plugin-trigger/called",
  version: 2,
  initial: { total: 0, chains: {}, open: {} },
  reduce(state, { event_type, sequence, agent_id, task_id, details }) {
    if (event_type === "agent_returned") {
      const { [String(details["agent"])]: _, ...chains } = state.chains;
      const { [String(details["agent"])]: _call, ...open } = state.open;
      return { ...state, chains, open };
    }
    const directive = event_type === "behavior_applied" ? details["directive"] : undefined;
    if (!isJsonObject(directive ?? null)) return state;
    const { action, agent } = directive as Readonly<Record<string, unknown>>;
    if (action !== "trigger" || typeof agent !== "string") return state;
    const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
    const said = { step: text(details["step"]), reason: text(details["reason"]) };
    const call = { sequence, agent, by: agent_id, task: task_id, ...said };
    return {
      total: state.total + 1,
      open: { ...state.open, [agent]: call },
      chains: { ...state.chains, [agent]: [...chainOf(state, agent_id), agent] },
    };
  },
});

/** The calls that have not returned, oldest first. */
export const openCalls = (view: View): readonly OpenCall[] =>
  Object.values(view(agentCalls).open).toSorted((one, other) => one.sequence - other.sequence);

/** The longest chain of agents that wait for each other; empty if none was called. */
export const longestChain = ({ chains }: AgentCalls): readonly string[] =>
  Object.values(chains).reduce<readonly string[]>(
    (longest, chain) => (chain.length > longest.length ? chain : longest),
    [],
  );

/** The chain of callers of an agent, with the agent last; empty if it was not called. */
export function chainOf({ chains }: AgentCalls, agent: string | null): readonly string[] {
  if (agent === null) return [];
  return (Object.hasOwn(chains, agent) ? chains[agent] : undefined) ?? [agent];
}
