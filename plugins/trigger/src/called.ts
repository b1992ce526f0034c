import { defineProjection, isJsonObject } from "@bylaw/kernel";

/** Who is at work because somebody called them. */
export interface Called {
  /** How often agents were called. */
  readonly total: number;
  /** Of each called agent that has not returned, who called whom, from the first to the agent itself. */
  readonly chains: Readonly<Record<string, readonly string[]>>;
}

/** The open calls of a run, as the log says. */
export const calledAgents = defineProjection<Called>({
  name: "@bylaw/plugin-trigger/called",
  version: 1,
  scope: "task",
  initial: { total: 0, chains: {} },
  reduce(state, { event_type, agent_id, details }) {
    if (event_type === "agent_returned") {
      const { [String(details["agent"])]: _, ...chains } = state.chains;
      return { ...state, chains };
    }
    const directive = event_type === "behavior_applied" ? details["directive"] : undefined;
    if (!isJsonObject(directive ?? null)) return state;
    const { action, agent } = directive as Readonly<Record<string, unknown>>;
    if (action !== "trigger" || typeof agent !== "string") return state;
    return {
      total: state.total + 1,
      chains: { ...state.chains, [agent]: [...chainOf(state, agent_id), agent] },
    };
  },
});

/** The longest row of agents of whom each waits for the next; nobody where none was called. */
export const longestChain = ({ chains }: Called): readonly string[] =>
  Object.values(chains).reduce<readonly string[]>(
    (longest, chain) => (chain.length > longest.length ? chain : longest),
    [],
  );

/** Who called whom before an agent came to work, the agent last; nobody for nobody. */
export function chainOf({ chains }: Called, agent: string | null): readonly string[] {
  if (agent === null) return [];
  return (Object.hasOwn(chains, agent) ? chains[agent] : undefined) ?? [agent];
}
