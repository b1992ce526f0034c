import { z } from "zod";

export const monitoringOptions = z.strictObject({
  contract: z
    .string()
    .min(1)
    .describe("The contract file, relative to the folder of the configuration"),
  tools: z
    .array(z.string().min(1))
    .default([])
    .describe("Tools of the host that the contract may name besides the built-in ones"),
  checks: z
    .array(z.string().min(1))
    .default([])
    .describe("Names of your own checks that the contract may name"),
});
