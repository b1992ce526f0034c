import { operatorWith } from "../approvals/operators.ts";
import type { ProblemFields } from "../http/problem.ts";
import { setLatest } from "../service/latest.ts";
import type { Caller, CallerKind } from "./caller.ts";
import { agentOf, sameSecret } from "./enrolment.ts";
import type { OperatorList } from "./operator-list.ts";
import { OPERATOR } from "./operator-names.ts";
import type { TokenReader } from "./token-caller.ts";

/** The secrets that callers are known by. */
export interface Credentials {
  /** Of agents that have no token yet; left out: none can enrol. */
  readonly enrol?: string | undefined;
  /** Whether the enrolment secret itself enrols under any name, or only what was derived from it. */
  readonly shared_enrolment: boolean;
  /** Of the operator that the server was started with. */
  readonly operator?: string | undefined;
  /** Those of a file. It is looked at with every request that needs it, so that a token that was taken out is void at once. */
  readonly operators?: OperatorList | undefined;
}

/** Why a caller is not let in. */
export interface Refusal extends ProblemFields {
  readonly status: 400 | 401 | 403;
  /** What was shown. */
  readonly credential: "agent" | "enrol" | "operator" | "none";
  /** Whose name was shown, where that is certain. */
  readonly agent?: string | undefined;
}

export const isRefusal = (value: Caller | Refusal): value is Refusal => "status" in value;

/** Finds out who calls. */
export type Authenticate = (authorization: string | undefined) => Caller | Refusal | Promise<Caller | Refusal>;

// One scheme, one blank and one credential: a header that came twice is joined by a comma, and is none.
const HEADER = /^(bearer|bylaw-enrol) ([!-+\--~]+)$/i;
const LONGEST = 140_000;
/** So many agents at most are known by their whole header, and none by one that is longer than that. */
const KEPT = 4_096;
const KEPT_LENGTH = 4_096;

/** Makes the function that knows callers by their Authorization header. */
export function createAuthenticate(credentials: Credentials, readToken: TokenReader): Authenticate {
  const { enrol, shared_enrolment, operator, operators = () => [] } = credentials;

  function enrolled(secret: string): Caller | Refusal {
    const agent = enrol === undefined ? undefined : agentOf(secret, enrol);
    if (agent !== undefined) return { kind: "enrolled", agent };
    if (enrol !== undefined && shared_enrolment && sameSecret(secret, enrol)) return { kind: "enrolled" };
    return unknown("enrol");
  }

  // While the file is broken nobody is known by it; who keeps the list says so.
  function listed(): ReturnType<OperatorList> {
    try {
      return operators();
    } catch {
      return [];
    }
  }

  function operates(token: string): Caller | undefined {
    if (operator !== undefined && sameSecret(token, operator)) return { kind: "operator", name: OPERATOR };
    const found = operatorWith(listed(), token);
    return found === undefined ? undefined : { kind: "operator", name: found.name, ...(found.roles && { roles: found.roles }) };
  }

  // Agents show the same token with every call. The oldest go first.
  const agents = new Map<string, Caller>();

  function keep(authorization: string, caller: Caller | Refusal): void {
    if (isRefusal(caller) || caller.kind !== "agent" || authorization.length > KEPT_LENGTH) return;
    setLatest(agents, authorization, caller, KEPT);
  }

  return (authorization) => {
    if (authorization === undefined) return { kind: "anyone" };
    const known = agents.get(authorization);
    if (known !== undefined) return known;
    const [, scheme = "", credential = ""] = (authorization.length > LONGEST ? null : HEADER.exec(authorization)) ?? [];
    if (scheme === "") return unknown("none");
    // Schemes are the same in any letter case: RFC 9110, 11.1.
    if (scheme.toLowerCase() === "bylaw-enrol") return enrolled(credential);
    const caller = readToken(credential);
    const otherwise = (read: Caller | Refusal): Caller | Refusal => {
      keep(authorization, read);
      return isRefusal(read) ? (operates(credential) ?? read) : read;
    };
    return caller instanceof Promise ? caller.then(otherwise) : otherwise(caller);
  };
}

const unknown = (credential: Refusal["credential"]): Refusal => ({
  ...{ status: 401, code: "BYLAW_CREDENTIAL_UNKNOWN", credential },
  detail: "Unexpected credential, expected one that is known here",
  fix: "send `Bearer <token>`, or `Bylaw-Enrol <secret>` with a claim, in one Authorization header",
});

/** What a caller is told who came without a credential, or with one of another kind. */
export function unfit(caller: Caller, wanted: readonly CallerKind[]): Refusal {
  const need = wanted.join(" or ");
  if (caller.kind !== "anyone")
    return {
      ...{ status: 403, code: "BYLAW_CREDENTIAL_UNFIT", credential: CREDENTIAL[caller.kind] },
      ...(caller.kind === "agent" ? { agent: caller.agent } : {}),
      detail: `Unexpected credential of an ${CREDENTIAL[caller.kind]}, expected that of ${need}`,
      fix: "this is not for you to ask: let somebody ask who may",
    };
  if (wanted.includes("agent") && !wanted.includes("enrolled"))
    return {
      ...{ status: 401, code: "token_missing", credential: "none" },
      detail: "Unexpected request without a token, expected that of the task",
      fix: "claim the task, and send the token that comes with it as `Authorization: Bearer <token>`",
    };
  return {
    ...{ status: 401, code: "BYLAW_CREDENTIAL_MISSING", credential: "none" },
    detail: `Unexpected request without a credential, expected that of ${need}`,
    fix: "send it in the Authorization header",
  };
}

const CREDENTIAL: Readonly<Record<Exclude<CallerKind, "anyone">, Refusal["credential"]>> = {
  agent: "agent",
  enrolled: "enrol",
  operator: "operator",
};
