import { pathTemplate } from "@bylaw/log";
import { z } from "zod";

export const statusOptions = z
  .strictObject({
    file: pathTemplate
      .default(".bylaw/runs/{run}/status.json")
      .describe(
        "The file, relative to the folder of the configuration. `{run}` stands for the run's name; without it, the file shows the run that was recorded last.",
      ),
    every_ms: z
      .int()
      .min(0)
      .max(60_000)
      .default(250)
      .describe("The least milliseconds between two writes."),
    keep: z
      .int()
      .min(0)
      .optional()
      .describe(
        "How many violations are listed per agent, the last ones; totals count all. Default: all.",
      ),
    previews: z
      .boolean()
      .default(true)
      .describe("Whether to show the beginning of what an agent was writing."),
  })
  .prefault({});
