import { z } from "zod";

const agent = z.string().min(1);

export const triggerOptions = z
  .strictObject({
    agents: z
      .array(agent)
      .min(1)
      .refine((names) => new Set(names).size === names.length, "has an agent twice")
      .describe("The known agents: a trigger for another is denied"),
    steps: z
      .record(z.string().min(1), agent)
      .default({})
      .describe("The agent that a step calls when its request names none"),
    max_depth: z
      .int()
      .min(1)
      .max(100)
      .default(3)
      .describe("The longest chain of agents, each called by the previous one"),
    max_triggers: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(50)
      .describe("The most calls of agents in one run"),
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
