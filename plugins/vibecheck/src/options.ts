import { z } from "zod";

const risk = z.number().min(0).max(1);

export const vibecheckOptions = z
  .strictObject({
    ask_at: risk
      .default(0.7)
      .describe("From this risk on a person is asked before every call, until one took note"),
    stop_at: risk.default(0.9).describe("From this risk on nothing runs, until a person took note"),
    every_calls: z
      .int()
      .min(1)
      .optional()
      .describe("After so many calls without an oversight one is due, and nothing runs before it"),
    before_phases: z
      .array(z.string().min(1))
      .default([])
      .describe("Phases that are not entered without an oversight in the phase before"),
    phases: z
      .record(z.string().min(1), z.enum(["planning", "implementation", "review"]))
      .default({})
      .describe("What kind of work each phase is; `implementation` where nothing is said"),
  })
  .refine(({ ask_at, stop_at }) => ask_at <= stop_at, {
    path: ["ask_at"],
    message: "is above `stop_at`",
  })
  .prefault({});

export type VibecheckOptions = z.output<typeof vibecheckOptions>;
