import { z } from "zod";

const names = z.array(z.string().min(1)).default([]);

export const phaseOptions = z.strictObject({
  contract: z.string().min(1).describe("The contract file, from the folder of the config"),
  mode: z
    .enum(["strict", "permissive", "advisory"])
    .optional()
    .describe("The enforcement mode that the contract has to name. Default: any"),
  tools: names.describe("Tools of the host that the contract may name besides those that it knows"),
  checks: names.describe("Checks of other plugins that the contract may name"),
  elsewhere: z
    .array(z.enum(["artifacts", "gates", "tokens"]))
    .default([])
    .describe(
      "What the contract asks for and something else than the plugin of that name enforces",
    ),
  shell: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe("Tools of the host that run a shell line, each with the argument that holds it"),
});

export type PhaseOptions = z.output<typeof phaseOptions>;
