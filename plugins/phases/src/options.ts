import { z } from "zod";

const names = z.array(z.string().min(1)).default([]);

export const phaseOptions = z.strictObject({
  contract: z
    .string()
    .min(1)
    .describe("The contract file, relative to the folder of the configuration"),
  mode: z
    .enum(["strict", "permissive", "advisory"])
    .optional()
    .describe("The enforcement mode that the contract must name. Default: any"),
  tools: names.describe("Tools of the host that the contract may name besides the built-in ones"),
  checks: names.describe("Checks of other plugins that the contract may name"),
  elsewhere: z
    .array(z.enum(["artifacts", "gates", "tokens"]))
    .default([])
    .describe("Parts of the contract that something other than their plugin enforces"),
  shell: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe("Tools of the host that run a shell line, each with the argument that contains it"),
});

export type PhaseOptions = z.output<typeof phaseOptions>;
