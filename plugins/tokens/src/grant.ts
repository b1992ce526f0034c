import type { Run } from "@bylaw/log";
import { claimsDigest } from "./claims.ts";
import type { SignedToken, TokenRequest, TokenSigner } from "./signer.ts";

/** The grant of a token, for the run that records it. */
export type TokenGrant = Omit<TokenRequest, "run" | "session">;

/**
 * Signs a token and records it as the valid one of its task. Resolves once that is durable, so the log knows every token that is
 * handed out. Every earlier token of the task is then void.
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
