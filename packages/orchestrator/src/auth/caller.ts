import type { Claims } from "@bylaw/plugin-tokens";

/** An agent with a phase token whose signature is good. Whether the token still holds the log says. */
export interface AgentCaller {
  readonly kind: "agent";
  readonly agent: string;
  readonly task: string;
  /** Of the claim that the token comes from. */
  readonly fence: number | undefined;
  /** The text of the token: a secret, for no log. */
  readonly token: string;
  /** What the token says. Nothing of it is believed before the log knows `digest`: a stolen key signs anything. */
  readonly claims: Claims;
  /** Of the claims, as the log has it of each token that was issued. */
  readonly digest: string;
}

/** Somebody who may become an agent by a claim. */
interface EnrolledCaller {
  readonly kind: "enrolled";
  /** The one agent that the credential is for; left out for the shared secret. */
  readonly agent?: string;
}

/** A person or a program that may answer for the agents. */
export interface OperatorCaller {
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
