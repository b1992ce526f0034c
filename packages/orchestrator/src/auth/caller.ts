import type { Claims } from "@bylaw/plugin-tokens";

/** An agent whose phase token has a valid signature. Only the log decides whether the token is still valid. */
export interface AgentCaller {
  readonly kind: "agent";
  readonly agent: string;
  readonly task: string;
  /** The fence of the claim that the token comes from. */
  readonly fence: number | undefined;
  /** The text of the token. It is a secret and must not be logged. */
  readonly token: string;
  /** The claims of the token. They count only if the log has their `digest`, because a stolen key can sign anything. */
  readonly claims: Claims;
  /** The digest of the claims, which the log has for each issued token. */
  readonly digest: string;
}

/** Somebody who may become an agent by claiming a task. */
interface EnrolledCaller {
  readonly kind: "enrolled";
  /** The only agent that the credential is for. Left out for the shared secret. */
  readonly agent?: string;
}

/** A person or a program that may answer for the agents. */
export interface OperatorCaller {
  readonly kind: "operator";
  readonly name: string;
  /** Left out: any role that a gate asks for. */
  readonly roles?: readonly string[];
}

/** A caller of a route that needs no credential. */
interface AnyCaller {
  readonly kind: "anyone";
}

export type Caller = AgentCaller | EnrolledCaller | OperatorCaller | AnyCaller;
export type CallerKind = Caller["kind"];
