import type { EventType } from "@bylaw/log";

import { z } from "zod";

const round = z.int().positive();
const message = z.string().max(2_000).optional();

/** Events of a turn that are not the agent's doing. They cost no attempt, and are kept apart from the reasons. */
const INFRASTRUCTURE = ["api_error", "connection_recovery", "mcp_disconnected"] as const;

/** The reasons for dropping an agent. */
export const DROP_REASONS = [
  "timeout",
  "cancelled",
  "fatal_error",
  "superseded",
  "denial_loop",
] as const;

/** The events that a host records about the turns of its agents. */
export const HOST_EVENTS: readonly EventType[] = [
  { name: "round_started", details: z.strictObject({ round }) },
  { name: "agent_dropped", details: z.strictObject({ reason: z.enum(DROP_REASONS), message }) },
  {
    name: "infrastructure_event",
    details: z.strictObject({
      kind: z.enum(INFRASTRUCTURE),
      message,
      round: round.optional(),
      docker_health: z.record(z.string(), z.json()).optional(),
    }),
  },
];
