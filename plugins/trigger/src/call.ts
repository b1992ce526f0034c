import { allow, deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { calledAgents, chainOf, longestChain } from "./called.ts";
import type { TriggerOptions } from "./options.ts";

export const CODES = {
  trigger_agent_missing: "the request names no agent, and the step calls none by itself",
  trigger_agent_unknown: "the request names an agent that there is not",
  trigger_cycle: "the agent is at work already, and waits for the one that asks",
  trigger_depth: "too many agents wait for each other",
  trigger_limit: "agents were called as often as they may be in one run",
} as const;

/** Whom a step may call. Pure. */
export function call({ agents, steps, max_depth, max_triggers }: TriggerOptions): (request: Behavior, view: View) => Verdict | undefined {
  const listed = agents.slice(0, 20).map(quote).join(", ");
  return ({ action, step, agent: asker = null, trigger_agent_id: named, reason }, view) => {
    if (action !== "trigger") return undefined;
    const usual = step !== undefined && Object.hasOwn(steps, step) ? steps[step] : undefined;
    const wanted = named === undefined || named === "" ? usual : named;
    if (wanted === undefined)
      return deny("Unexpected trigger without an agent, expected one by name", `name one of ${listed}`, { code: "trigger_agent_missing" });
    if (!agents.includes(wanted))
      return deny(`Unexpected agent ${quote(wanted)}, expected one that there is`, `name one of ${listed}`, {
        code: "trigger_agent_unknown",
      });
    const state = view(calledAgents);
    const chain = chainOf(state, asker);
    if (chain.includes(wanted))
      return deny(
        `Unexpected trigger of ${quote(wanted)}, expected an agent that does not wait for this one: ${[...chain, wanted].map(quote).join(" calls ")}`,
        "return what you have, and let the agent that called go on",
        { code: "trigger_cycle" },
      );
    if (Object.hasOwn(state.chains, wanted))
      return deny(`Unexpected trigger of ${quote(wanted)}, expected an agent that is not at work`, "wait until it returns", {
        code: "trigger_cycle",
      });
    // The agent that asks first was called by nobody. One that does not say who it is may be the last of any row.
    const row = asker === null ? longestChain(state) : chain;
    if (row.length > max_depth)
      return deny(`Unexpected trigger ${row.length} deep, expected at most ${max_depth}`, "do it without another agent", {
        code: "trigger_depth",
      });
    if (state.total >= max_triggers)
      return deny(`Unexpected trigger ${state.total + 1} of this run, expected at most ${max_triggers}`, "go on without", {
        code: "trigger_limit",
      });
    return allow(`Agent ${quote(wanted)} is called${reason === undefined ? "" : `: ${reason}`}`, {
      directive: { action: "trigger", agent: wanted, by: asker, step: step ?? null, depth: Math.max(1, chain.length) },
    });
  };
}
