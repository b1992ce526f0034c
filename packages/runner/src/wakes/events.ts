import type { EventType } from "@bylaw/log";

import { z } from "zod";

const name = z.string().min(1);
/** A run, and when it is due, in milliseconds since 1970. */
const wake = { run: name, at: z.number() };
const answer = { run: name, by: name };
const preparation = z.strictObject({ name, version: z.string() });

/** The events with which drivers record whom they woke. */
export const WAKE_EVENTS: readonly EventType[] = [
  { name: "wake_set", details: z.strictObject(wake) },
  { name: "wake_taken", details: z.strictObject(answer) },
  { name: "wake_delayed", details: z.strictObject(wake) },
  { name: "wake_answered", details: z.strictObject(answer) },
  ...["wanted", "begun", "failed", "done"].map((what): EventType => ({
    name: `preparation_${what}`,
    details: preparation,
  })),
];
