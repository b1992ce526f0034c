import type { Run } from "@bylaw/log";
import { claimsDigest } from "./claims.ts";
import type { SignedToken, TokenRequest, TokenSigner } from "./signer.ts";

/** What a token is granted for; the run is the one that it is recorded in. */
export type TokenGrant = Omit<TokenRequest, "run" | "session">;

/**
 * Signs a token and puts it on record as the one that holds for its task. Resolves when that is durable, so no token is ever
 * handed out that the log does not know; every earlier token of the task is void from then on.
 */
export async function grantToken(
  run: Run,
  signer: TokenSigner,
  grant: TokenGrant,
): Promise<SignedToken> {
  const signed = await signer.sign({ at: run.now(), ...grant, run: run.run, session: run.session });
  const { jti, agent, phase, exp } = signed.claims;
  const details = {
    jti,
    agent,
    phase,
    expires_at: new Date(exp * 1_000).toISOString(),
    claims_digest: claimsDigest(signed.claims),
  };
  await run.record([{ event_type: "token_issued", agent_id: agent, task_id: grant.task, details }]);
  return signed;
}
