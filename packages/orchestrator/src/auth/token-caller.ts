import type { TokenSigner } from "@bylaw/plugin-tokens";
import type { Refusal } from "./authenticate.ts";
import type { AgentCaller, Caller } from "./caller.ts";

/** Reads a phase token. What the log says of it is not asked. */
export type TokenReader = (token: string) => Caller | Refusal | Promise<Caller | Refusal>;

interface TokenTerms {
  readonly signer: Pick<TokenSigner, "read" | "contract">;
  readonly run: string;
}

type Read = Awaited<ReturnType<TokenSigner["read"]>>;

/** Makes the reader of phase tokens. A token that was read before costs a look-up. */
export function createTokenReader({ signer, run }: TokenTerms): TokenReader {
  function callerOf(token: string, claims: Read): Caller | Refusal {
    if (typeof claims === "string") {
      const status = 401;
      return { status, code: claims, credential: "agent", detail: `Unexpected token: ${FAULTS[claims]}`, fix: CLAIM };
    }
    const { agent } = claims;
    const refuse = (code: string, what: string, fix: string): Refusal => ({
      status: 403,
      code,
      credential: "agent",
      agent,
      detail: `Unexpected token: ${what}`,
      fix,
    });
    if (claims.run !== run) return refuse("token_other_run", "the token is of another run", CLAIM);
    if (claims.contract !== signer.contract) return refuse("token_other_contract", "the token was issued under another contract", CLAIM);
    const caller: AgentCaller = { kind: "agent", agent, task: claims.task_id, fence: claims.fence, token, claims };
    return caller;
  }

  return (token) => {
    const read = signer.read(token);
    return read instanceof Promise ? read.then((claims) => callerOf(token, claims)) : callerOf(token, read);
  };
}

const CLAIM = "claim the task again, and send the token that comes with it";

const FAULTS = {
  token_malformed: "the text is no token",
  token_key_unknown: "the token names a key that is not known here, or no longer",
  token_forged: "the signature is not that of the key",
} as const;
