import { resolve } from "node:path";
import { loadContract, type Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import { z } from "zod";

const id = z.string().min(1).describe("Its name in the header of a token (`kid`)");
const keyOptions = z.union([
  z.strictObject({ id, env: z.string().min(1).describe("The environment variable that holds it") }),
  z.strictObject({
    id,
    file: z
      .string()
      .min(1)
      .describe("The file that holds it, relative to the folder of the configuration"),
  }),
]);

/** The place of a key: the environment or a file, never the configuration. */
export type KeyOptions = z.output<typeof keyOptions>;

const ALGORITHMS = ["HS256", "EdDSA"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export const tokenOptions = z
  .strictObject({
    algorithm: z
      .enum(ALGORITHMS)
      .optional()
      .describe(
        "How tokens are signed: with a shared secret, or with an Ed25519 key. Default: from the contract, else `HS256`",
      ),
    keys: z
      .array(keyOptions)
      .min(1)
      .refine((keys) => new Set(keys.map((key) => key.id)).size === keys.length, "has a name twice")
      .optional()
      .describe(
        "The keys: the first signs, all of them verify, so that an old one stays until its tokens have expired. Default: one in the variable that the contract names, else in `BYLAW_JWT_SECRET`",
      ),
    expiry_seconds: z
      .int()
      .positive()
      .max(86_400)
      .optional()
      .describe(
        "How long a token is valid, at most as long as in the contract. Default: from the contract, else 7200",
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
        "The contract file: it defines the tokens, and a token of another contract is refused",
      ),
    tools: z
      .array(z.string().min(1))
      .default([])
      .describe("Tools that the contract names but does not list"),
    checks: z
      .array(z.string().min(1))
      .default([])
      .describe("Checks of plugins that the contract names"),
  })
  .prefault({});

type TokenOptions = z.output<typeof tokenOptions>;

/** The variable with the secret if neither the options nor the contract name another. */
const VARIABLE = "BYLAW_JWT_SECRET";

/** The properties of tokens: from the options, else from the contract, else the defaults. */
export interface TokenSettings {
  readonly contract: Contract | undefined;
  /** `false`: the contract asks for no tokens. */
  readonly enabled: boolean;
  readonly algorithm: Algorithm;
  readonly keys: readonly KeyOptions[];
  readonly expiry_seconds: number;
  readonly clock_tolerance_seconds: number;
  /** Whether a token is only valid in the session in which it was issued. */
  readonly session: boolean;
}

/** Reads the contract and checks the options against it. Throws BYLAW_TOKEN_CONTRACT_DIFFERS, and what loading throws. */
export function settingsOf(
  { contract: file, tools, checks, ...options }: TokenOptions,
  folder: string,
): TokenSettings {
  const contract =
    file === undefined ? undefined : loadContract(resolve(folder, file), { tools, checks });
  const wanted = contract?.enforcement.tokens;
  const {
    algorithm = wanted?.algorithm ?? "HS256",
    expiry_seconds = Math.min(wanted?.expirySeconds ?? 7_200, MAX_SECONDS),
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

/** No token is valid for longer than a day, whatever the contract says. */
const MAX_SECONDS = 86_400;

const differs = (contract: Contract | undefined, actual: string, expected: string): BylawError =>
  new BylawError({
    code: "BYLAW_TOKEN_CONTRACT_DIFFERS",
    message: `${actual}, and the contract says ${expected}`,
    fix: "Leave the option out, or change `enforcement.phase_tokens` in the contract.",
    ...(contract === undefined ? {} : { source: { file: contract.file } }),
  });
