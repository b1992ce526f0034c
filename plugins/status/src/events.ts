import type { EventType } from "@bylaw/log";

import { z } from "zod";

const tokens = z.int().nonnegative();

/** The events that hosts record for a status: agents that have not begun, what models cost, and how the run ended. */
export const STATUS_EVENTS: readonly EventType[] = [
  { name: "agent_registered", details: z.strictObject({ model: z.string().optional() }) },
  {
    name: "model_usage",
    details: z.strictObject({
      input_tokens: tokens,
      output_tokens: tokens,
      reasoning_tokens: tokens.optional(),
      cached_input_tokens: tokens.optional(),
      estimated_cost: z.number().nonnegative().optional(),
    }),
  },
  {
    name: "run_finished",
    details: z.strictObject({
      reason: z.enum(["completed", "timeout", "error"]),
      details: z.string().optional(),
    }),
  },
];
