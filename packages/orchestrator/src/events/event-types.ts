import { definePlugin } from "@bylaw/kernel";
import type { EventType } from "@bylaw/log";
import { z } from "zod";
import { MESSAGE_EVENTS } from "../notify/message-events.ts";
import manifest from "../../package.json" with { type: "json" };

/** The event of a request that was refused before anything was decided. */
export const ACCESS_REFUSED = "access_refused";

const text = z.string().min(1).max(2_000);
const claimed = z.string().max(2_000);
const long = z.string().max(100_000);

/** The event of a person's answer to a question of an agent. */
export const QUESTION_ANSWERED = "question_answered";

/** The event types that the service declares. */
export const EVENT_TYPES: readonly EventType[] = [
  {
    name: ACCESS_REFUSED,
    details: z.strictObject({
      code: text,
      status: z.int().min(400).max(599),
      method: text,
      /** As declared, with its parameters in braces. Never what a client wrote. */
      route: text,
      credential: z.enum(["agent", "enrol", "operator", "none"]),
      /** The agent of the credential that was sent. */
      agent: claimed.optional(),
      /** The task that the request claims to be about. */
      task: claimed.optional(),
      tool: claimed.optional(),
      /** How many refusals since the last recorded one were not recorded. */
      unrecorded: z.int().min(0).optional(),
    }),
  },
  {
    name: QUESTION_ANSWERED,
    details: z.strictObject({ question: long, about: long, by: long, answer: long }),
  },
  ...MESSAGE_EVENTS,
];

/** Declares the events of the service. It votes on no decision. */
export const serviceEvents = definePlugin({
  name: "@bylaw/orchestrator/events",
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    for (const type of EVENT_TYPES) kernel.event(type);
  },
});
