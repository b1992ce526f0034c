import { z } from "zod";

const step = z.string().min(1);

const loopOptions = z.strictObject({
  steps: z
    .int()
    .min(0)
    .describe(
      "How many steps it goes back, at least 1; only an older reading allows 0, the step itself",
    ),
  max_iterations: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(10)
    .describe("How often it may go back, at least 1; only an older reading allows 0, never"),
  skip: z.array(step).default([]).describe("Steps that are skipped while it repeats"),
  stall: z
    .int()
    .min(1)
    .optional()
    .describe(
      "How often in a row it may go back without progress; a host that reports none has made none",
    ),
});

export const loopsOptions = z
  .strictObject({
    order: z
      .array(step)
      .min(1)
      .refine((ids) => new Set(ids).size === ids.length, "has a step twice")
      .describe("The steps of the workflow, in order"),
    loops: z.record(step, loopOptions).default({}).describe("The steps that may go back, by name"),
    compat: z
      .enum(["radium", "codemachine"])
      .optional()
      .describe("Reads requests like an older system"),
  })
  .superRefine(({ order, loops, compat }, context) => {
    const indexes = new Map(order.map((name, index) => [name, index]));
    for (const [name, loop] of Object.entries(loops)) {
      const problem = problemOf({ order, indexes, compat }, name, loop);
      if (problem !== undefined)
        context.addIssue({ code: "custom", path: ["loops", name], message: problem });
    }
  });

export type LoopsOptions = z.output<typeof loopsOptions>;

type Workflow = Pick<LoopsOptions, "order" | "compat"> & {
  readonly indexes: ReadonlyMap<string, number>;
};

// Refuses settings that can never have an effect, so that nobody relies on them. The older systems accepted them, so their readings
// do too.
function problemOf(
  { order, indexes, compat }: Workflow,
  name: string,
  { steps, max_iterations, skip }: z.output<typeof loopOptions>,
): string | undefined {
  const at = indexes.get(name);
  if (at === undefined) return "is no step of `order`";
  if (compat !== undefined) return undefined;
  if (steps === 0) return "goes back 0 steps; it must go back at least 1";
  if (max_iterations === 0) return "goes back 0 times; it must go back at least once";
  if (steps > at) return `goes back ${steps} steps, but only ${at} come before it`;
  const repeated = order.slice(at - steps, at);
  const idle = skip.find((one) => !repeated.includes(one));
  if (idle !== undefined) return `skips \`${idle}\`, which it does not repeat`;
  return skip.length > 0 && repeated.every((one) => skip.includes(one))
    ? "skips every step that it repeats"
    : undefined;
}
