import { resolve } from "node:path";
import { loadContract, type Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
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

type TokenOptions = z.output<typeof tokenOptions>;

/** The variable that holds the secret where neither the options nor the contract name another. */
const VARIABLE = "BYLAW_JWT_SECRET";

/** What tokens are: what the options say, else the contract, else what is usual. */
export interface TokenSettings {
  readonly contract: Contract | undefined;
  /** `false`: the contract asks for no tokens. */
  readonly enabled: boolean;
  readonly algorithm: Algorithm;
  readonly keys: readonly KeyOptions[];
  readonly expiry_seconds: number;
  readonly clock_tolerance_seconds: number;
  /** Whether a token holds for the session alone that it was issued in. */
  readonly session: boolean;
}

/** Reads the contract and holds the options to it. Throws BYLAW_TOKEN_CONTRACT_DIFFERS, and what loading throws. */
export function settingsOf(
  { contract: file, tools, checks, ...options }: TokenOptions,
  folder: string,
): TokenSettings {
  const contract =
    file === undefined ? undefined : loadContract(resolve(folder, file), { tools, checks });
  const wanted = contract?.enforcement.tokens;
  const {
    algorithm = wanted?.algorithm ?? "HS256",
    expiry_seconds = Math.min(wanted?.expirySeconds ?? 7_200, LONGEST_SECONDS),
  } = options;
  if (wanted !== undefined && algorithm !== wanted.algorithm)
    throw differs(
      contract,
      `\`algorithm\` of tokens is \`${algorithm}\``,
      `\`${wanted.algorithm}\``,
    );
  if (wanted !== undefined && expiry_seconds > wanted.expirySeconds)
    throw differs(
      contract,
      `\`expiry_seconds\` of tokens is ${expiry_seconds}`,
      `at most ${wanted.expirySeconds}`,
    );
  return {
    contract,
    enabled: wanted?.enabled ?? true,
    algorithm,
    keys: options.keys ?? [{ id: "default", env: wanted?.secretEnvVar ?? VARIABLE }],
    expiry_seconds,
    clock_tolerance_seconds: options.clock_tolerance_seconds,
    session: wanted?.claims.includes("session") ?? false,
  };
}

/** No token holds for longer than a day, whatever a contract says. */
const LONGEST_SECONDS = 86_400;

const differs = (contract: Contract | undefined, actual: string, expected: string): BylawError =>
  new BylawError({
    code: "BYLAW_TOKEN_CONTRACT_DIFFERS",
    message: `${actual}, and the contract says ${expected}`,
    fix: "Leave the option out, or change `enforcement.phase_tokens` in the contract.",
    ...(contract === undefined ? {} : { source: { file: contract.file } }),
  });
