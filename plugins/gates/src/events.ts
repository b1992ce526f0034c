import type { EventType } from "@bylaw/log";
import { testRunDetails } from "@bylaw/evidence";

import { z } from "zod";

const text = z.string().min(1).max(10_000);
const digest = z.string().min(1).max(1_000);
const gate = { gate: text, phase: text };

/** Events for approvals, waivers and timeouts of gates. Hosts record them, never agents. */
const GATE_EVENTS = {
  gate_decided: z.strictObject({
    ...gate,
    by: text,
    role: text,
    verdict: z.enum(["approved", "rejected"]),
    reason: z.string().max(10_000).nullable(),
    /** The digest of the artifacts that were shown. */
    artifacts: digest,
    /** The requested phase. */
    to: text.optional(),
    /** The digest of the workspace; absent or `null` if the contract runs no tests. */
    tree: digest.nullable().optional(),
    /** The policy of this plugin when the gate was opened. */
    policy: digest,
  }),
  check_waived: z.strictObject({
    ...gate,
    check: text,
    by: text,
    role: text,
    reason: text,
    expires_at: z.iso.datetime({ offset: true }),
  }),
  gate_escalated: z.strictObject({ ...gate, opened_at: z.iso.datetime({ offset: true }) }),
  gate_closed: z.strictObject({
    ...gate,
    opened_at: z.iso.datetime({ offset: true }),
    reason: z.literal("timed_out"),
  }),
} as const;

/** The types of events that this plugin declares. */
export const EVENT_TYPES: readonly EventType[] = [
  { name: "test_run", details: testRunDetails },
  ...Object.entries(GATE_EVENTS).map(([name, details]) => ({ name, details })),
];
