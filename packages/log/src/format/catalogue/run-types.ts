import { z } from "zod";
import { VARIANTS } from "../../state/experiment.ts";
import { free, id, number, text, time, type CatalogueType } from "./catalogue-type.ts";

// Runs record subjects of any host, so the schemas name only what is always there.
const decided = (name: string, when: string): CatalogueType => ({
  name,
  group: "run",
  when,
  details: z.looseObject({ decision: z.looseObject({}) }),
});

/** The events that a run records by itself. */
export const RUN_TYPES: readonly CatalogueType[] = [
  decided("tool_allowed", "a tool call may run"),
  decided("tool_asked", "a tool call needs a person's yes"),
  decided("tool_denied", "a tool call must not run"),
  {
    name: "tool_result",
    group: "run",
    when: "a tool returned",
    details: z.strictObject({
      ...{ id: text, tool: text, ok: z.boolean(), result: free },
      reported: z.literal(true).optional(),
    }),
  },
  decided("phase_entered", "a task entered a phase"),
  decided("transition_blocked", "a task must not enter a phase"),
  decided("behavior_applied", "an agent steered the workflow"),
  decided("behavior_rejected", "an agent must not steer the workflow like that"),
  decided("response_accepted", "a response complies"),
  decided("enforcement", "a response does not comply"),
  {
    name: "approval_granted",
    group: "run",
    when: "a person said yes to one question",
    details: z.strictObject({
      digest: id,
      policy: z.record(z.string(), text),
      by: id,
      expires_at: time,
    }),
  },
  {
    name: "approval_refused",
    group: "run",
    when: "a person said no to one question",
    details: z.strictObject({ asked: z.int().positive(), digest: text, by: id, reason: id }),
  },
  {
    name: "mark_cleared",
    group: "run",
    when: "a person cleared a mark of the policies",
    details: z.strictObject({ mark: id, by: id }),
  },
  {
    name: "experiment_assigned",
    group: "run",
    when: "a task, or the run, first needs a decision under an experiment",
    details: z.strictObject({
      ...{ experiment: id, variant: z.enum(VARIANTS), share: number },
      digests: z.strictObject({ a: id, b: id }),
    }),
  },
];
