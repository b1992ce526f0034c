import { z } from "zod";
import { oversightSchema } from "./schema.ts";

const text = z.string();
const names = z.array(text);
const options = z
  .record(text, z.strictObject({ label: text.optional(), description: text.optional() }))
  .refine((record) => Object.keys(record).length > 0, "must have at least one answer");

const group = z.strictObject({
  id: text.optional(),
  question: text.optional(),
  multiSelect: z.boolean().optional(),
  tracks: names.optional(),
  conditions: options,
  get children() {
    return z.record(text, group).optional();
  },
});
/** A question to the user before the workflow begins. */
export type OlderGroup = z.output<typeof group>;

const behavior = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("loop"),
    action: z.literal("stepBack").optional(),
    steps: z.number().optional(),
    maxIterations: z.number().optional(),
    skip: names.optional(),
    trigger: text.optional(),
  }),
  z.strictObject({
    type: z.literal("trigger"),
    action: z.literal("mainAgentCall").optional(),
    triggerAgentId: text.optional(),
  }),
  z.strictObject({ type: z.literal("checkpoint"), action: z.literal("evaluate").optional() }),
]);
export type OlderBehavior = z.output<typeof behavior>;

const step = z.strictObject({
  type: z.enum(["step", "module", "agent", "command", "ui", "separator", "folder"]).optional(),
  ...{ id: text.optional(), agentId: text.optional(), agent_id: text.optional() },
  ...{ agentName: text.optional(), label: text.optional(), text: text.optional() },
  ...{ engine: text.optional(), model: text.optional(), modelReasoningEffort: text.optional() },
  promptPath: z.union([text, names]).optional(),
  prompt: text.optional(),
  command: text.optional(),
  args: z.array(z.union([text, z.number(), z.boolean()])).optional(),
  notCompletedFallback: text.optional(),
  executeOnce: z.boolean().optional(),
  continue_on_error: z.boolean().optional(),
  interactive: z.boolean().optional(),
  ...{ tracks: names.optional(), conditions: names.optional(), conditionsAny: names.optional() },
  folder: text.optional(),
  module: z
    .strictObject({ id: text.optional(), name: text.optional(), behavior: behavior.optional() })
    .optional(),
});
export type OlderStep = z.output<typeof step>;

const parameter = z.strictObject({
  type: text.optional(),
  description: text.optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
});

/** A template of Radium (its own format or that of its extensions) or of CodeMachine. */
export const olderSchema = z.strictObject({
  name: text,
  description: text.optional(),
  steps: z.array(step).max(100_000),
  subAgentIds: names.optional(),
  parameters: z.record(text, parameter).optional(),
  tracks: z.strictObject({ question: text.optional(), options }).optional(),
  conditionGroups: z.array(group).optional(),
  oversight: oversightSchema.optional(),
  controller: z.unknown().optional(),
  autonomousMode: z.unknown().optional(),
  projectName: z.unknown().optional(),
  specification: z.unknown().optional(),
});
export type OlderText = z.output<typeof olderSchema>;
