import type { JsonObject } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import { z } from "zod";

/** The claims of a token, and no others. Times are seconds since 1970, as in RFC 7519. */
export const claimsSchema = z.strictObject({
  iss: z.literal("bylaw"),
  jti: z.string().min(1),
  run: z.string().min(1),
  task_id: z.string().min(1),
  agent: z.string().min(1),
  /** `null`: the task has not entered a phase yet. */
  phase: z.string().min(1).nullable(),
  allowed_tools: z.array(z.string().min(1)),
  contract: z.string().nullable(),
  fence: z.int().nonnegative().optional(),
  /** The session in which it was issued, if the contract requires that. */
  session: z.string().min(1).optional(),
  iat: z.int().nonnegative(),
  nbf: z.int().nonnegative(),
  exp: z.int().positive(),
});

/** The claims of one token. */
export type Claims = z.output<typeof claimsSchema>;

const digests = new WeakMap<Claims, string>();

/**
 * The digest of all claims of a token, `sha256:…`. It is recorded when a token is issued, so a token with any other claim is not
 * accepted, whoever signed it.
 */
export function claimsDigest(claims: Claims): string {
  const known = digests.get(claims);
  if (known !== undefined) return known;
  const digest = digestOf(claims as JsonObject);
  digests.set(claims, digest);
  return digest;
}
