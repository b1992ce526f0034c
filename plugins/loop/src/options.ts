import { z } from "zod";

const step = z.string().min(1);

const loopOptions = z.strictObject({
  steps: z.int().min(1).describe("How many steps it goes back"),
  max_iterations: z.int().min(1).max(1_000_000).default(10).describe("How often it may go back"),
  skip: z.array(step).default([]).describe("Steps that are left out while it repeats"),
  stall: z.int().min(1).optional().describe("How often it may go back without progress, where the host says what progress is"),
});

export const loopsOptions = z
  .strictObject({
    order: z
      .array(step)
      .min(1)
      .refine((ids) => new Set(ids).size === ids.length, "has a step twice")
      .describe("The steps of the workflow, in order"),
    loops: z.record(step, loopOptions).default({}).describe("The steps that may go back, by their names"),
  })
  .superRefine(({ order, loops }, context) => {
    for (const [name, { steps, skip }] of Object.entries(loops)) {
      const problem = problemOf(order, name, steps, skip);
      if (problem !== undefined) context.addIssue({ code: "custom", path: ["loops", name], message: problem });
    }
  });

// What could never have an effect is refused, so that nobody waits for it.
function problemOf(order: readonly string[], name: string, steps: number, skip: readonly string[]): string | undefined {
  const at = order.indexOf(name);
  if (at < 0) return "is no step of `order`";
  if (steps > at) return `goes back ${steps} steps, and only ${at} stand before it`;
  const repeated = order.slice(at - steps, at);
  const idle = skip.find((one) => !repeated.includes(one));
  if (idle !== undefined) return `skips \`${idle}\`, which is none of the steps that it repeats`;
  return skip.length > 0 && repeated.every((one) => skip.includes(one)) ? "skips every step that it repeats" : undefined;
}

export type LoopsOptions = z.output<typeof loopsOptions>;
