import type { ApprovalMode, Effect, JsonObject } from "@bylaw/kernel";
import type { EffectName } from "@bylaw/shell";
import type { MarkReference } from "../marks/mark-reference.ts";
import type { ConditionSource } from "../match/value-test.ts";
import type { WhenSource } from "./when-source.ts";

/** The tiers, highest first. */
export const TIERS = ["admin", "user", "workspace", "default"] as const;
export type Tier = (typeof TIERS)[number];

/** One rule as written, with alternative spellings normalized and single values turned into lists. */
export interface RuleSource {
  readonly name: string;
  readonly tier: Tier;
  readonly effect: Effect;
  readonly tool?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly command_regex?: string | undefined;
  readonly effects?: readonly EffectName[] | undefined;
  readonly server?: string | undefined;
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Whether the rule also covers redirections of output. Set for an allow that lists files to write. */
  readonly redirects?: true | undefined;
  readonly network?: readonly string[] | undefined;
  readonly args?: { readonly [name: string]: ConditionSource } | undefined;
  readonly agent?: readonly string[] | undefined;
  readonly phase?: readonly string[] | undefined;
  readonly modes?: readonly ApprovalMode[] | undefined;
  readonly interactive?: boolean | undefined;
  readonly when?: WhenSource | undefined;
  readonly after?: MarkReference | undefined;
  readonly unless_after?: MarkReference | undefined;
  /** False: this allow covers no command that the line gives something to read. */
  readonly input?: false | undefined;
  /** True: this allow covers only what git ignores. */
  readonly git_ignored?: true | undefined;
  /** The names of asks that this allow overrides, and of denies of lower priority than such an ask. */
  readonly overrides?: readonly string[] | undefined;
  readonly reason?: string | undefined;
  readonly fix?: string | undefined;
  /** New values for arguments of the call. */
  readonly instead?: JsonObject | undefined;
  readonly shadow: boolean;
  readonly final: boolean;
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line: number;
}

/** Whether a rule depends on more than the call: on a condition (`when`) or on marks. */
export const isConditional = ({ when, after, unless_after }: RuleSource): boolean =>
  (when ?? after ?? unless_after) !== undefined;
