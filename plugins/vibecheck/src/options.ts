import { z } from "zod";

const risk = z.number().min(0).max(1);

export const vibecheckOptions = z
  .strictObject({
    ask_at: risk
      .default(0.7)
      .describe(
        "From this risk on a person must approve every call, until a person acknowledges the verdict",
      ),
    stop_at: risk
      .default(0.9)
      .describe("From this risk on nothing runs, until a person acknowledges the verdict"),
    every_calls: z
      .int()
      .min(1)
      .optional()
      .describe(
        "After this many calls without an oversight one is due, and nothing runs before it",
      ),
    before_phases: z
      .array(z.string().min(1))
      .default([])
      .describe("Phases that need an oversight in the phase before them"),
    phases: z
      .record(z.string().min(1), z.enum(["planning", "implementation", "review"]))
      .default({})
      .describe("The kind of work in each phase; `implementation` if not listed"),
  })
  .refine(({ ask_at, stop_at }) => ask_at <= stop_at, {
    path: ["ask_at"],
    message: "is above `stop_at`",
  })
  .prefault({});

export type VibecheckOptions = z.output<typeof vibecheckOptions>;
