import { z } from "zod";

const agent = z.string().min(1);

export const triggerOptions = z
  .strictObject({
    agents: z
      .array(agent)
      .min(1)
      .refine((names) => new Set(names).size === names.length, "has an agent twice")
      .describe("The agents that there are: a trigger for another is denied"),
    steps: z
      .record(z.string().min(1), agent)
      .default({})
      .describe("Whom a step calls when its request names nobody"),
    max_depth: z
      .int()
      .min(1)
      .max(100)
      .default(3)
      .describe("How many agents may stand in a row, each called by the one before"),
    max_triggers: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(50)
      .describe("How often agents may be called in one run"),
  })
  .superRefine(({ agents, steps }, context) => {
    for (const [step, name] of Object.entries(steps))
      if (!agents.includes(name))
        context.addIssue({
          code: "custom",
          path: ["steps", step],
          message: `is none of \`agents\``,
        });
  });

export type TriggerOptions = z.output<typeof triggerOptions>;
