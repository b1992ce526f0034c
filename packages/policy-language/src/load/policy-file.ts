import type { Effect } from "@bylaw/kernel";
import type { CompatPolicy } from "../compat/compat-policy.ts";
import type { Rule } from "../compile/rule.ts";
import type { Mark } from "../marks/mark.ts";
import type { PolicyFinding } from "./finding.ts";
import type { Compat } from "./policy-schema.ts";

/** One policy file, checked and compiled. */
export interface PolicyFile {
  readonly file: string;
  readonly compat?: Compat;
  /** What a call comes to when nothing votes. */
  readonly default?: Effect;
  readonly rules: readonly Rule[];
  /** Left out where the file has none. */
  readonly marks?: readonly Mark[];
  /** What a file with `compat` comes to; it has no `rules`. */
  readonly alone?: CompatPolicy;
  readonly warnings: readonly PolicyFinding[];
  /** The text that decides, for a digest. */
  readonly text: string;
}
