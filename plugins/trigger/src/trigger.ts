import { definePlugin, type Guard } from "@bylaw/kernel";
import type { EventType, Finding } from "@bylaw/log";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { CODES, call } from "./call.ts";
import { agentCalls } from "./agent-calls.ts";
import { triggerOptions } from "./options.ts";

/** The types of events that this plugin declares. */
export const EVENT_TYPES: readonly EventType[] = [
  {
    name: "agent_returned",
    details: z.strictObject({ agent: z.string().min(1), ok: z.boolean() }),
  },
];

/** Lets a step call another agent, if that agent is known, not already waiting in the chain, and not too deep. */
export const trigger = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: triggerOptions,
  grants: true,
  codes: CODES,
  apply(kernel, options) {
    for (const type of EVENT_TYPES) kernel.event(type);
    kernel.projection(agentCalls);
    kernel.guard("called", returnsOnce);
    kernel.hooks.onBehavior.tap("trigger", call(options));
  },
});

const returnsOnce: Guard = (view, { event_type, details }): Finding | undefined => {
  if (
    event_type !== "agent_returned" ||
    Object.hasOwn(view(agentCalls).chains, String(details["agent"]))
  )
    return undefined;
  return {
    rule: "AGENT_NOT_CALLED",
    message: `\`${String(details["agent"]).slice(0, 80)}\` was not called, so it cannot return`,
  };
};
