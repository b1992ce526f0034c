import type { Effect } from "@bylaw/kernel";
import type { MarkSource } from "../marks/mark.ts";
import type { RuleSource } from "../compile/rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { PolicyPlace } from "./tier-limit.ts";

/** What a policy file may hold at most. */
export const POLICY_LIMITS = { characters: 4 * 1024 * 1024, rules: 50_000 } as const;

/** Where a policy text comes from, and whom it may bind. */
export interface ParseOptions {
  /** Named in every message and verdict. */
  readonly file: string;
  /** The operator vouches for the file: its rules may be of any tier. */
  readonly operator?: boolean;
  /** Absolute folder. Allow rules of a file inside it are lowered to tier `workspace`, because agents could write them. */
  readonly workspace?: string;
  /** Absolute path of the file, when `file` is not. */
  readonly origin?: string;
  /** The place where the file was found. Left out: somebody named it. See {@link boundTier}. */
  readonly place?: PolicyPlace;
  readonly tools?: ToolTable;
  /** Compiled forms, which are trusted as far as the text is. One of another text or version is ignored. */
  readonly compiled?: readonly CompiledPolicy[];
}

/** The rules of one policy text, read and checked, as plain data. Made by {@link compiledPolicy}. */
export interface CompiledPolicy {
  /** The text that it was made from. */
  readonly text: string;
  /** Of the language and of the tables of programs that it was made by. */
  readonly version: string;
  readonly default?: Effect;
  readonly rules: readonly CompiledRule[];
  readonly marks?: readonly Omit<MarkSource, "file">[];
}

/** One rule of a compiled form. `both`: its `read` is what it says of writing too. */
export interface CompiledRule extends Omit<RuleSource, "file"> {
  readonly both?: boolean;
  /** What its `command` is about: programs, and words of which a command that matches has one. */
  readonly programs?: readonly { readonly program?: string; readonly words?: readonly string[] }[];
}

/** Whether agents could write a policy file: it lies inside the workspace, and no operator vouches for it. */
export function isInside({ file, operator = false, workspace, origin }: ParseOptions): boolean {
  if (operator || workspace === undefined) return false;
  const path = origin ?? file;
  return path.startsWith(workspace.endsWith("/") ? workspace : `${workspace}/`);
}
