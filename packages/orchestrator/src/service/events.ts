import { definePlugin } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { APPROVAL_REFUSED } from "../approvals/answers.ts";

/** The event of a request that was refused before anything was decided. */
export const ACCESS_REFUSED = "access_refused";

const text = z.string().min(1).max(2_000);
const claimed = z.string().max(2_000);

/** What the service puts on record itself. */
const SERVICE_EVENTS = [
  {
    name: ACCESS_REFUSED,
    details: z.strictObject({
      code: text,
      status: z.int().min(400).max(599),
      method: text,
      /** As it is declared, with its parameters in braces: never what somebody wrote. */
      route: text,
      credential: z.enum(["agent", "enrol", "operator", "none"]),
      /** Whose name was shown. */
      agent: claimed.optional(),
      /** What was asked about, as whoever asked says. */
      task: claimed.optional(),
      tool: claimed.optional(),
      /** How many were refused since the last one on record, and are not on record. */
      unrecorded: z.int().min(0).optional(),
    }),
  },
  {
    name: APPROVAL_REFUSED,
    details: z.strictObject({ question: text, digest: z.string().max(2_000), by: text, reason: z.string().max(10_000) }),
  },
] as const;

/** Declares the events of the service. It has no say in any decision. */
export const serviceEvents = definePlugin({
  name: "@bylaw/orchestrator/events",
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    for (const type of SERVICE_EVENTS) kernel.event(type);
  },
});
