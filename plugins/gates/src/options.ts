import { isPlugin, type Plugin } from "@bylaw/kernel";
import { z } from "zod";

export const gateOptions = z.strictObject({
  contract: z
    .string()
    .min(1)
    .describe("The contract file, relative to the folder of the configuration"),
  checks: z
    .array(z.custom<Plugin>(isPlugin, "must be a check made by `defineCheck`"))
    .default([])
    .describe("Your own checks, made by `defineCheck`, that the contract may name"),
  tools: z
    .array(z.string().min(1))
    .default([])
    .describe("Tools of the host that the contract may name besides the built-in ones"),
  workspace: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The folder that artifacts' file paths are relative to, relative to the folder of the configuration, unless the host gives one. Default: the folder of the configuration",
    ),
});

export type GateOptions = z.output<typeof gateOptions>;
