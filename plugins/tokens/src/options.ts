import { z } from "zod";

const id = z.string().min(1).describe("Its name in the head of a token (`kid`)");
const keyOptions = z.union([
  z.strictObject({ id, env: z.string().min(1).describe("The variable that holds it") }),
  z.strictObject({
    id,
    file: z.string().min(1).describe("The file that holds it, from the folder of the config"),
  }),
]);

/** Where a key is: in the environment or in a file, never in the config. */
export type KeyOptions = z.output<typeof keyOptions>;

const ALGORITHMS = ["HS256", "EdDSA"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export const tokenOptions = z
  .strictObject({
    algorithm: z
      .enum(ALGORITHMS)
      .optional()
      .describe(
        "How tokens are signed: with a shared secret, or with an Ed25519 key. Default: as the contract has it, else `HS256`",
      ),
    keys: z
      .array(keyOptions)
      .min(1)
      .refine((keys) => new Set(keys.map((key) => key.id)).size === keys.length, "has a name twice")
      .optional()
      .describe(
        "The keys: the first signs, all of them verify, so that an old one stays until its tokens have expired. Default: one in the variable that the contract names, else `BYLAW_JWT_SECRET`",
      ),
    expiry_seconds: z
      .int()
      .positive()
      .max(86_400)
      .optional()
      .describe(
        "How long a token holds, no longer than the contract says. Default: as the contract has it, else 7200",
      ),
    clock_tolerance_seconds: z
      .int()
      .nonnegative()
      .max(300)
      .default(0)
      .describe("By how much clocks may differ"),
    contract: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The contract file: it says what tokens are, and a token of another contract is refused",
      ),
    tools: z
      .array(z.string().min(1))
      .default([])
      .describe("Tools that the contract names and does not list"),
    checks: z
      .array(z.string().min(1))
      .default([])
      .describe("Checks that plugins bring and the contract names"),
  })
  .prefault({});

export type TokenOptions = z.output<typeof tokenOptions>;
