import type { Verdict } from "@bylaw/kernel";
import type { ReasonCode } from "./reason-codes.ts";

type Recovery = NonNullable<Verdict["recovery"]>;

/** Why a response does not comply. */
export interface Fault {
  readonly code: ReasonCode;
  /** What is wrong and what is required, for a person, after `Retry (1/3): `. */
  readonly line: string;
  /** The same for the model. Left out: the line. */
  readonly message?: string;
  /** How it is recovered while attempts are left. Left out: by a restart. */
  readonly recovery?: Recovery;
}
