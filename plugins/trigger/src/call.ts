import { allow, deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { agentCalls, chainOf, longestChain } from "./agent-calls.ts";
import type { TriggerOptions } from "./options.ts";

export const CODES = {
  trigger_agent_missing: "the request names no agent, and the step has no default",
  trigger_agent_unknown: "the request names an unknown agent",
  trigger_cycle: "the agent is already working, and waits for the one that asks",
  trigger_depth: "too many agents wait for each other",
  trigger_limit: "the run has used all its calls of agents",
} as const;

/** Decides whether a step may call an agent. Pure. */
export function call({
  agents,
  steps,
  max_depth,
  max_triggers,
}: TriggerOptions): (request: Behavior, view: View) => Verdict | undefined {
  const listed = agents.slice(0, 20).map(quote).join(", ");
  return ({ action, step, agent: asker = null, trigger_agent_id: named, reason }, view) => {
    if (action !== "trigger") return undefined;
    const usual = step !== undefined && Object.hasOwn(steps, step) ? steps[step] : undefined;
    const wanted = named === undefined || named === "" ? usual : named;
    if (wanted === undefined)
      return deny("The trigger names no agent", `Name one of ${listed}`, {
        code: "trigger_agent_missing",
      });
    if (!agents.includes(wanted))
      return deny(`There is no agent ${quote(wanted)}`, `Name one of ${listed}`, {
        code: "trigger_agent_unknown",
      });
    const state = view(agentCalls);
    const chain = chainOf(state, asker);
    if (chain.includes(wanted))
      return deny(
        `${quote(wanted)} is waiting for this agent: ${[...chain, wanted].map(quote).join(" calls ")}`,
        "Return what you have, and let the calling agent continue",
        { code: "trigger_cycle" },
      );
    if (Object.hasOwn(state.chains, wanted))
      return deny(`${quote(wanted)} is already at work`, "Wait until it returns", {
        code: "trigger_cycle",
      });
    // An asker that nobody called starts a chain. One without a name may be the end of any chain.
    const row = asker === null ? longestChain(state) : chain;
    if (row.length > max_depth)
      return deny(
        `Agents already call each other ${max_depth} deep, which is the limit`,
        "Do it without another agent",
        { code: "trigger_depth" },
      );
    if (state.total >= max_triggers)
      return deny(`This run has used all ${max_triggers} triggers`, "Continue without it", {
        code: "trigger_limit",
      });
    return allow(`Agent ${quote(wanted)} is called${reason === undefined ? "" : `: ${reason}`}`, {
      directive: {
        action: "trigger",
        agent: wanted,
        by: asker,
        step: step ?? null,
        depth: Math.max(1, chain.length),
      },
    });
  };
}
