import type { EventType } from "@bylaw/log";

import { isBlank } from "@bylaw/wording";
import { z } from "zod";

const text = z.string().max(4_000);
const seen = z
  .string()
  .min(1)
  .refine((said) => !isBlank(said), "must not be blank");

/** The verdict of an oversight: how risky the plan is, and why. */
export const oversightVerdict = z.strictObject({
  /** 0 (no risk) to 1. */
  risk: z.number().min(0).max(1),
  advice: text,
  traits: z.array(z.string().min(1).max(200)).max(50),
  uncertainties: z.array(z.string().min(1).max(500)).max(50),
});
export type OversightVerdict = z.output<typeof oversightVerdict>;

/** The events of an oversight. A failure has its own event, so that no answer never counts as low risk. */
export const OVERSIGHT_EVENTS: readonly EventType[] = [
  {
    name: "oversight_given",
    details: z.strictObject({ by: z.string().min(1).max(200), verdict: oversightVerdict }),
  },
  {
    name: "oversight_failed",
    details: z.strictObject({ by: z.string().min(1).max(200), error: z.string().min(1).max(500) }),
  },
  {
    name: "oversight_acknowledged",
    details: z.strictObject({ by: seen.max(200), reason: seen.max(1_000) }),
  },
];
