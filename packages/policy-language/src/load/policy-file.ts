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
  /** The effect of a call that no rule and no plugin votes on. */
  readonly default?: Effect;
  readonly rules: readonly Rule[];
  /** The marks that the file defines. Absent if it defines none. */
  readonly marks?: readonly Mark[];
  /** The policy of a file with `compat`. Such a file has no `rules`. */
  readonly compatPolicy?: CompatPolicy;
  readonly warnings: readonly PolicyFinding[];
  /** The text of the policy, for a digest. */
  readonly text: string;
}
