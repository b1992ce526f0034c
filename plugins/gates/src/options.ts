import { isPlugin, type Plugin } from "@bylaw/kernel";
import { z } from "zod";

export const gateOptions = z.strictObject({
  contract: z.string().min(1).describe("The contract file, from the folder of the config"),
  checks: z
    .array(z.custom<Plugin>(isPlugin, "must be a check made by `defineCheck`"))
    .default([])
    .describe("Checks of your own, made by `defineCheck`, that the contract may name"),
  tools: z
    .array(z.string().min(1))
    .default([])
    .describe("Tools of the host that the contract may name besides those that it knows"),
  workspace: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The folder that artifacts name files in, from the folder of the config, where a host names none. Default: the folder of the config",
    ),
});

export type GateOptions = z.output<typeof gateOptions>;
