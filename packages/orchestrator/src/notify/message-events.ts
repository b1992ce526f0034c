import type { EventType } from "@bylaw/log";
import { z } from "zod";

/** The event of a process that is about to tell a person, so that no other process does. */
export const MESSAGE_CLAIMED = "message_claimed";

/** The event of a message to a person about an open question. */
export const PERSON_TOLD = "person_told";

/** The event of a question about which nobody could be told. */
export const NOBODY_TOLD = "nobody_told";

const text = z.string().min(1).max(2_000);

const about = {
  /** The id of the question. */
  question: text,
  /** The name of the operator. */
  to: text,
  form: text,
};

/** The event types of messages to people. */
export const MESSAGE_EVENTS: readonly EventType[] = [
  { name: MESSAGE_CLAIMED, details: z.strictObject(about) },
  {
    name: PERSON_TOLD,
    // `sent`: false if the webhook failed each time. `why`: how it failed last.
    details: z.strictObject({ ...about, sent: z.boolean(), why: text.optional() }),
  },
  { name: NOBODY_TOLD, details: z.strictObject({ question: text, why: text }) },
];
