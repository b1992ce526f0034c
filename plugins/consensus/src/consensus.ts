import { TIME_OVER, consensusState } from "@bylaw/consensus";
import { definePlugin } from "@bylaw/kernel";
import { agentTurns } from "@bylaw/log";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { CONSENSUS_EVENTS } from "./events.ts";
import { consensusGuard } from "./guard.ts";
import { DENIALS, roundTime } from "./round-time.ts";

/** Keeps the record of agents that answer and vote. Every answer and vote needs an accepted response, and must not come too late. */
export const consensus = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z
    .strictObject({
      last_tools: z
        .array(z.string().min(1))
        .min(1)
        .default(["vote", "new_answer"])
        .describe("The tools that an agent may still call when the time of its round is over"),
      denials: z
        .int()
        .positive()
        .max(1_000)
        .default(DENIALS)
        .describe("How many denied calls in a row end its turn after that"),
    })
    .prefault({}),
  codes: { [TIME_OVER]: "The time of the agent's round is over, and the tool ends no turn" },
  apply(kernel, { last_tools, denials }) {
    for (const type of CONSENSUS_EVENTS) kernel.event(type);
    kernel.projection(agentTurns);
    kernel.projection(consensusState);
    kernel.guard("consensus", consensusGuard);
    kernel.hooks.beforeToolCall.tap(
      "round-time",
      roundTime({ tools: new Set(last_tools), denials }),
    );
  },
});
