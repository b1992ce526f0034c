import { resolve } from "node:path";
import { loadContract, type Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import type { Algorithm, KeyOptions, TokenOptions } from "./options.ts";

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
