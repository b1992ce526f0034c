import { type Refusal } from "./refusal.ts";
import { claimsDigest, type TokenSigner } from "@bylaw/plugin-tokens";
import type { AgentCaller, Caller } from "./caller.ts";

/** Reads a phase token without checking it against the log. */
export type TokenReader = (token: string) => Caller | Refusal | Promise<Caller | Refusal>;

interface TokenCallerOptions {
  readonly signer: Pick<TokenSigner, "read" | "contract">;
  readonly run: string;
}

type Read = Awaited<ReturnType<TokenSigner["read"]>>;

/** Creates the reader of phase tokens. A token that was read before is found in a cache. */
export function createTokenReader({ signer, run }: TokenCallerOptions): TokenReader {
  function callerOf(token: string, claims: Read): Caller | Refusal {
    if (typeof claims === "string") {
      const status = 401;
      return { status, code: claims, credential: "agent", detail: FAULTS[claims], fix: CLAIM };
    }
    const { agent } = claims;
    const refuse = (code: string, detail: string, fix: string): Refusal => ({
      status: 403,
      code,
      credential: "agent",
      agent,
      detail,
      fix,
    });
    if (claims.run !== run) return refuse("token_other_run", "The token is for another run", CLAIM);
    if (claims.contract !== signer.contract)
      return refuse("token_other_contract", "The token was issued under another contract", CLAIM);
    const caller: AgentCaller = {
      kind: "agent",
      agent,
      task: claims.task_id,
      fence: claims.fence,
      token,
      claims,
      digest: claimsDigest(claims),
    };
    return caller;
  }

  return (token) => {
    const read = signer.read(token);
    return read instanceof Promise
      ? read.then((claims) => callerOf(token, claims))
      : callerOf(token, read);
  };
}

const CLAIM = "Claim the task again, and send the token from the answer.";

const FAULTS = {
  token_malformed: "This text is not a token",
  token_key_unknown: "The token was signed with a key that is not known here",
  token_forged: "The signature of the token is wrong",
} as const;
