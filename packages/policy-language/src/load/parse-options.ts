import type { Effect } from "@bylaw/kernel";
import type { MarkSource } from "../marks/mark.ts";
import type { RuleSource } from "../compile/rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { PolicyPlace } from "./tier-limit.ts";

/** The limits on the size of a policy file. */
export const POLICY_LIMITS = { characters: 4 * 1024 * 1024, rules: 50_000 } as const;

/** Where a policy text comes from, and which tiers its rules may have. */
export interface ParseOptions {
  /** The name of the file in messages and verdicts. */
  readonly file: string;
  /** Whether the operator vouches for the file. Then its rules may have any tier. */
  readonly operator?: boolean;
  /** An absolute path. In a file inside this folder, allow rules are lowered to tier `workspace`, because agents could write them. */
  readonly workspace?: string;
  /** The absolute path of the file. Needed if `file` is not absolute. */
  readonly origin?: string;
  /** Where the file was discovered. Default: it was named explicitly. See {@link boundTier}. */
  readonly place?: PolicyPlace;
  readonly tools?: ToolTable;
  /** Compiled forms, trusted as much as the text. One made for another text or version is ignored. */
  readonly compiled?: readonly CompiledPolicy[];
}

/** The parsed and checked rules of one policy text, as plain data. Created by {@link compiledPolicy}. */
export interface CompiledPolicy {
  /** The text of the policy. */
  readonly text: string;
  /** The version of the language and of the program tables at the time of compiling. */
  readonly version: string;
  readonly default?: Effect;
  readonly rules: readonly CompiledRule[];
  readonly marks?: readonly Omit<MarkSource, "file">[];
}

/** One rule of a compiled form. `both`: its `read` globs also apply to writing. */
export interface CompiledRule extends Omit<RuleSource, "file"> {
  readonly both?: boolean;
  /** The programs that its `command` is about (`null`: any), each with the words of which a matching command has at least one. */
  readonly programs?: readonly (readonly [program: string | null, words?: readonly string[]])[];
}

/** Whether agents could write a policy file: it is inside the workspace and no operator vouches for it. */
export function isInside({ file, operator = false, workspace, origin }: ParseOptions): boolean {
  if (operator || workspace === undefined) return false;
  const path = origin ?? file;
  return path.startsWith(workspace.endsWith("/") ? workspace : `${workspace}/`);
}
