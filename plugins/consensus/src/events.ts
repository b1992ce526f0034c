import type { EventType } from "@bylaw/log";

import { z } from "zod";

const agent = z
  .string()
  .min(1)
  .max(256)
  .refine((name) => name !== "__proto__", "cannot be `__proto__`");
const limit = z.int().positive().nullable();
const revision = z.int().positive();
const sha256 = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const response = z.int().positive();
const YEAR_MS = 366 * 24 * 3_600_000;
const label = z.string().min(1).max(300);

/** The events that a host records about agents that answer and vote. */
export const CONSENSUS_EVENTS: readonly EventType[] = [
  {
    name: "consensus_opened",
    details: z.strictObject({
      agents: z
        .array(agent)
        .min(1)
        .max(1_000)
        .refine((agents) => new Set(agents).size === agents.length, "must name each agent once"),
      max_answers_per_agent: limit,
      max_answers_global: limit,
      defer_voting: z.boolean(),
      fairness: z.enum(["votes", "turns"]),
    }),
  },
  {
    name: "answer_accepted",
    details: z.strictObject({
      response,
      label,
      revision,
      sha256,
      workspace: z.string().nullable(),
    }),
  },
  {
    name: "answers_shown",
    details: z.strictObject({
      answers: z.array(z.strictObject({ agent, revision, sha256 })).min(1).max(1_000),
    }),
  },
  {
    name: "vote_accepted",
    details: z.strictObject({
      response,
      voted_for: agent,
      label,
      revision,
      sha256,
      reason_preview: z.string().max(200).nullable(),
    }),
  },
  { name: "vote_ignored", details: z.strictObject({ response, reason: z.string().max(2_000) }) },
  { name: "answer_ignored", details: z.strictObject({ response, reason: z.string().max(2_000) }) },
  {
    name: "time_warning",
    details: z.strictObject({
      round: z.int().positive(),
      grace_ms: z.int().nonnegative().max(YEAR_MS),
    }),
  },
  {
    name: "winner_selected",
    details: z.strictObject({ agent, label, preview: z.string().max(400) }),
  },
];
