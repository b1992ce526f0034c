/** An agent with a phase token whose signature is good. Whether the token still holds the log says. */
export interface AgentCaller {
  readonly kind: "agent";
  readonly agent: string;
  readonly task: string;
  /** Of the claim that the token comes from. */
  readonly fence: number | undefined;
  /** The text of the token: a secret, for no log. */
  readonly token: string;
  readonly claims: AgentClaims;
}

/** What a phase token says. */
interface AgentClaims {
  readonly jti: string;
  readonly run: string;
  readonly phase: string | null;
  readonly allowed_tools: readonly string[];
  readonly contract: string | null;
  /** Seconds since 1970. */
  readonly exp: number;
}

/** Somebody who may become an agent by a claim. */
interface EnrolledCaller {
  readonly kind: "enrolled";
  /** The one agent that the credential is for; left out for the shared secret. */
  readonly agent?: string;
}

/** A person or a program that may answer for the agents. */
interface OperatorCaller {
  readonly kind: "operator";
  readonly name: string;
  /** Left out: any role that a gate asks for. */
  readonly roles?: readonly string[];
}

/** Somebody whom nothing is asked of. */
interface AnyCaller {
  readonly kind: "anyone";
}

export type Caller = AgentCaller | EnrolledCaller | OperatorCaller | AnyCaller;
export type CallerKind = Caller["kind"];
