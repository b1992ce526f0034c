import { z } from "zod";

/** What a token says, and nothing else. Times are seconds since 1970, as in RFC 7519. */
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
  /** The session that it was issued in, where the contract asks for that. */
  session: z.string().min(1).optional(),
  iat: z.int().nonnegative(),
  nbf: z.int().nonnegative(),
  exp: z.int().positive(),
});

/** The claims of one token. */
export type Claims = z.output<typeof claimsSchema>;
