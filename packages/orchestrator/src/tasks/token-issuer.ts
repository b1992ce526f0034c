import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import { currentPhases, phaseOf, type Run } from "@bylaw/log";
import { claimsDigest, grantToken, type TokenSigner } from "@bylaw/plugin-tokens";
import { holderOf } from "./holders.ts";

/** A token that was issued to an agent, with what it allows. */
export interface Granted {
  /** A secret of its agent. */
  readonly phase_token: string;
  readonly phase: string | null;
  readonly allowed_tools: readonly string[];
  /** RFC 3339, UTC. */
  readonly expires_at: string;
}

/** Issues tokens to the holders of tasks. */
export interface TokenIssuer {
  /**
   * Resolves to the token of a task for this agent: the current one, unchanged, or a new one if there is none or it ends soon. Resolves
   * when the token is recorded, and to `undefined` if the agent no longer holds the task.
   */
  tokenFor(task: string, agent: string): Promise<Granted | undefined>;
}

interface IssuerOptions {
  readonly run: Run;
  readonly signer: TokenSigner;
  readonly contract: Contract;
  readonly now: () => string;
}

/** A token is replaced when less than this share of its life is left. */
const LATE = 0.25;

/** Creates the issuer. Any node may hand out a token that another one recorded, because equal content has an equal signature. */
export function createTokenIssuer({ run, signer, contract, now }: IssuerOptions): TokenIssuer {
  const expiry_ms = signer.expiry_seconds * 1_000;
  const allowedIn = (phase: string | null): readonly string[] =>
    contract.phases.find(({ id }) => id === phase)?.allowedTools ?? [];

  async function tokenFor(task: string, agent: string): Promise<Granted | undefined> {
    const holder = holderOf(run.view, task);
    if (holder === undefined || holder.agent !== agent) return undefined;
    const phase = phaseOf(run.view(currentPhases), task) ?? null;
    const allowed_tools = allowedIn(phase);
    const request = { task, agent, phase, allowed_tools, fence: holder.fence };
    const { token } = holder;
    const life = token === null ? 0 : Date.parse(token.expires_at) - Date.parse(now());
    if (token !== null && life > expiry_ms * LATE) {
      const at = new Date(Date.parse(token.expires_at) - expiry_ms).toISOString();
      const again = await signer.sign({
        ...request,
        run: run.run,
        session: run.session,
        id: token.jti,
        at,
      });
      // If the contract, the session or the phase has changed since, the token cannot be recreated.
      if (claimsDigest(again.claims) === token.digest)
        return { phase_token: again.token, phase, allowed_tools, expires_at: token.expires_at };
    }
    try {
      const { token: phase_token, claims } = await grantToken(run, signer, {
        ...request,
        at: now(),
      });
      return {
        phase_token,
        phase,
        allowed_tools,
        expires_at: new Date(claims.exp * 1_000).toISOString(),
      };
    } catch (error) {
      if (error instanceof BylawError && error.code === "BYLAW_EVENT_REFUSED") return undefined;
      throw error;
    }
  }

  return { tokenFor };
}
