import type { Verdict } from "@bylaw/kernel";
import type { ReasonCode } from "./reason-codes.ts";

type Recovery = NonNullable<Verdict["recovery"]>;

/** The reason why a response does not comply. */
export interface Fault {
  readonly code: ReasonCode;
  /** For a person: what is wrong and what is required, shown after `Retry (1/3): `. */
  readonly line: string;
  /** The same for the model. Default: `line`. */
  readonly message?: string;
  /** How the agent recovers while attempts are left. Default: a restart. */
  readonly recovery?: Recovery;
}
