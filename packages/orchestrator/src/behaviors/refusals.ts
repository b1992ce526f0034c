import { definePlugin, deny } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

/** The plugin that grants each action. */
const GRANTED_BY: Readonly<Record<string, string>> = {
  loop: "@bylaw/plugin-loop",
  trigger: "@bylaw/plugin-trigger",
  checkpoint: "@bylaw/plugin-checkpoint",
  vibecheck: "@bylaw/plugin-vibecheck",
  continue: "@bylaw/plugin-loop",
  stop: "@bylaw/plugin-loop",
};

/** Refuses requests that this server has no plugin or service for, and tells the operator what to add. */
export const behaviorRefusals = definePlugin({
  name: "@bylaw/orchestrator/behaviors",
  version: manifest.version,
  options: z.strictObject({
    oversight: z.boolean().describe("Whether oversight is configured"),
    configured: z.boolean().describe("Whether the plugins come from a configuration"),
  }),
  codes: { behavior_unserved: "the server cannot carry out such a request" },
  apply(kernel, { oversight, configured }) {
    let known: readonly string[] = [];
    kernel.onSeal(({ plugins }) => {
      known = plugins;
    });
    kernel.hooks.onBehavior.tap("served", ({ action }) => {
      const code = { code: "behavior_unserved" };
      const plugin = Object.hasOwn(GRANTED_BY, action) ? GRANTED_BY[action] : undefined;
      if (plugin === undefined) return undefined;
      if (!known.includes(plugin))
        return action === "trigger" && !configured
          ? deny(
              "This server knows no agents that can be called",
              "Continue without it, or ask an operator to name agents in `behaviors.agents`",
              code,
            )
          : deny(
              `This server has no plugin for \`${action}\``,
              `Continue without it, or ask an operator to add \`${plugin}\` to the configuration`,
              code,
            );
      return action === "vibecheck" && !oversight
        ? deny(
            "This server has no oversight",
            "Ask for a `checkpoint`, where a person looks, or ask an operator to set `oversight.command` or `oversight.url`",
            code,
          )
        : undefined;
    });
  },
});
