import { omitUndefined } from "@bylaw/kernel";
import { operatorWith } from "../approvals/operators.ts";
import { setBounded } from "../service/bounded-map.ts";
import type { Caller, CallerKind } from "./caller.ts";
import { agentOf, sameSecret } from "./enrolment.ts";
import { type OperatorList, OPERATOR } from "./operator-list.ts";
import { isRefusal, type Refusal } from "./refusal.ts";
import type { TokenReader } from "./token-caller.ts";

export interface Credentials {
  /** The secret of agents that have no token yet. */
  readonly enrol: string;
  /** Whether the enrolment secret itself enrols under any name, or only credentials derived from it. */
  readonly shared_enrolment: boolean;
  /** The token of the operator that the server was started with. */
  readonly operator?: string | undefined;
  /** The operators of the file. Checked at every request that needs it, so that a removed token is invalid at once. */
  readonly operators: OperatorList;
}

// One scheme, one space and one credential. Node joins repeated headers with a comma, which does not match.
const HEADER = /^(bearer|bylaw-enrol) ([!-+\--~]+)$/i;
const MAX_LENGTH = 140_000;
/** How many agents are cached by their header, and the longest header that is cached. */
const KEPT = 4_096;
const KEPT_LENGTH = 4_096;

/** Identifies callers by their Authorization header. */
export class Authenticator {
  readonly #credentials: Credentials;
  readonly #readToken: TokenReader;
  /** Agents by header, because they send the same token with every call. The oldest entries are dropped first. */
  readonly #agents = new Map<string, Caller>();

  constructor(credentials: Credentials, readToken: TokenReader) {
    this.#credentials = credentials;
    this.#readToken = readToken;
  }

  identify(authorization: string | undefined): Caller | Refusal | Promise<Caller | Refusal> {
    if (authorization === undefined) return { kind: "anyone" };
    const known = this.#agents.get(authorization);
    if (known !== undefined) return known;
    const [, scheme = "", credential = ""] =
      (authorization.length > MAX_LENGTH ? null : HEADER.exec(authorization)) ?? [];
    if (scheme === "") return unknown("none");
    // Schemes ignore letter case: RFC 9110, 11.1.
    if (scheme.toLowerCase() === "bylaw-enrol") return this.#enrolled(credential);
    const read = this.#readToken(credential);
    const finish = (caller: Caller | Refusal): Caller | Refusal => {
      this.#keep(authorization, caller);
      return isRefusal(caller) ? (this.#operator(credential) ?? caller) : caller;
    };
    return read instanceof Promise ? read.then(finish) : finish(read);
  }

  #enrolled(secret: string): Caller | Refusal {
    const { enrol, shared_enrolment } = this.#credentials;
    const agent = agentOf(secret, enrol);
    if (agent !== undefined) return { kind: "enrolled", agent };
    return shared_enrolment && sameSecret(secret, enrol) ? { kind: "enrolled" } : unknown("enrol");
  }

  #operator(token: string): Caller | undefined {
    const { operator } = this.#credentials;
    if (operator !== undefined && sameSecret(token, operator))
      return { kind: "operator", name: OPERATOR };
    const found = operatorWith(this.#listed(), token);
    return (
      found && { kind: "operator", name: found.name, ...omitUndefined({ roles: found.roles }) }
    );
  }

  // While the file is broken, no operator in it is known. The list logs why.
  #listed(): ReturnType<OperatorList> {
    try {
      return this.#credentials.operators();
    } catch {
      return [];
    }
  }

  #keep(authorization: string, caller: Caller | Refusal): void {
    if (isRefusal(caller) || caller.kind !== "agent" || authorization.length > KEPT_LENGTH) return;
    setBounded(this.#agents, authorization, caller, KEPT);
  }
}

const unknown = (credential: Refusal["credential"]): Refusal => ({
  status: 401,
  code: "BYLAW_CREDENTIAL_UNKNOWN",
  credential,
  detail: "This credential is not known here",
  fix: "Send one Authorization header: `Bearer <token>`, or `Bylaw-Enrol <secret>` to claim a task.",
});

/** The refusal of a caller without a credential, or with one of another kind. */
export function wrongCaller(caller: Caller, wanted: readonly CallerKind[]): Refusal {
  const need = wanted.flatMap((kind) => (kind === "anyone" ? [] : [KIND[kind]])).join(" or ");
  if (caller.kind !== "anyone")
    return {
      status: 403,
      code: "BYLAW_CREDENTIAL_UNFIT",
      credential: CREDENTIAL[caller.kind],
      ...(caller.kind === "agent" ? { agent: caller.agent } : {}),
      detail: `This request is for ${need}, and the credential is for ${KIND[caller.kind]}`,
      fix: "Ask someone with that credential to do it.",
    };
  if (wanted.includes("agent") && !wanted.includes("enrolled"))
    return {
      status: 401,
      code: "token_missing",
      credential: "none",
      detail: "This request needs the token of the task",
      fix: "Claim the task, and send the token from the answer as `Authorization: Bearer <token>`.",
    };
  return {
    status: 401,
    code: "BYLAW_CREDENTIAL_MISSING",
    credential: "none",
    detail: `This request is for ${need}, and it has no credential`,
    fix: "Send one in the Authorization header.",
  };
}

/** Callers, as messages name them. */
const KIND: Readonly<Record<Exclude<CallerKind, "anyone">, string>> = {
  agent: "an agent with a token",
  enrolled: "an agent that enrols",
  operator: "an operator",
};

const CREDENTIAL: Readonly<Record<Exclude<CallerKind, "anyone">, Refusal["credential"]>> = {
  agent: "agent",
  enrolled: "enrol",
  operator: "operator",
};
