import { z } from "zod";

const names = z.array(z.string().min(1)).default([]);

export const artifactOptions = z.strictObject({
  contract: z.string().min(1).describe("The contract file, from the folder of the config"),
  tools: names.describe("Tools of the host that the contract may name besides those that it knows"),
  checks: names.describe("Checks of other plugins that the contract may name"),
});
