import { omitUndefined, type JsonObject } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { defineTool, type RunContext, type Tool } from "@bylaw/tools";
import { z } from "zod";
import { readCoordinatorEvent } from "./read-event.ts";

const json = z.json();

/**
 * The tool with which a coordinator that is a model records what it did. Offer it only to the coordinator, because it may name any agent in
 * an event. It throws BYLAW_EVENT_INVALID, BYLAW_EVENT_REFUSED, and what the run throws.
 */
export const COORDINATOR_TOOLS: readonly Tool<RunContext<Run>>[] = [
  defineTool({
    name: "record_event",
    description:
      "Record an event of the coordination, such as `developer_dispatched`, before you go on. An event that cannot have happened is refused.",
    input: z.strictObject({
      event_type: z.string().describe("The type of the event"),
      agent_id: z.string().optional().describe("The agent that the event is about"),
      task_id: z.string().optional().describe("The task that the event is about"),
      details: z.record(z.string(), json).optional().describe("The details that its type has"),
    }),
    run: async (given, { run }: RunContext<Run>) => {
      const [event] = await run.record([readCoordinatorEvent(omitUndefined(given) as JsonObject)]);
      return { event_type: given.event_type, sequence: event?.sequence ?? null };
    },
  }),
];
