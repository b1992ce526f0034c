import { z } from "zod";

export const monitoringOptions = z.strictObject({
  contract: z.string().min(1).describe("The contract file, from the folder of the config"),
  tools: z
    .array(z.string().min(1))
    .default([])
    .describe("Tools of the host that the contract may name besides those that it knows"),
  checks: z
    .array(z.string().min(1))
    .default([])
    .describe("Names of your own checks that the contract may name"),
});
