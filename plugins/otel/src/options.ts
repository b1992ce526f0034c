import { z } from "zod";

export const otelOptions = z
  .strictObject({
    content: z
      .boolean()
      .default(false)
      .describe(
        "Whether spans carry the arguments of calls and the reasons of decisions, as the log has them after redaction. Needs a plugin that redacts.",
      ),
  })
  .prefault({});
