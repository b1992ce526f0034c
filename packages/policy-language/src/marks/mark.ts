import { markKey } from "./mark-reference.ts";
import { compileRule, type Rule, type RuleComplaint, type RuleSource } from "../compile/rule.ts";
import { checkRule } from "../load/check-rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/** The conditions that a rule and a mark have in common. */
type MarkConditions = Pick<
  RuleSource,
  | "tool"
  | "command"
  | "command_regex"
  | "effects"
  | "server"
  | "read"
  | "write"
  | "redirects"
  | "network"
  | "args"
  | "agent"
  | "phase"
>;

/** One `[[marks]]` table as written, with alternative spellings normalized. */
export interface MarkSource extends MarkConditions {
  readonly name: string;
  /** Whether the mark is set only after a good result of the call is in the log. */
  readonly passed: boolean;
  /** Names of marks of the same file. A call that sets one of them clears this mark. */
  readonly cleared_by: readonly string[];
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line: number;
}

/** A compiled mark. */
export interface Mark {
  readonly source: MarkSource;
  readonly key: string;
  /** Matches calls that may set the mark, as broadly as a deny matches. */
  readonly may: Rule;
  /** Matches calls that certainly set the mark, as narrowly as an allow matches. Undefined if none does. */
  readonly sure: Rule | undefined;
}

/** Compiles a mark and reports every wrong pattern. Returns undefined if a pattern is wrong. */
export function compileMark(
  source: MarkSource,
  tools: ToolTable,
  report: RuleComplaint,
): Mark | undefined {
  const { passed: _, cleared_by: __, ...conditions } = source;
  const read = { tier: "default", shadow: false, final: false } as const;
  const may = compileRule({ ...conditions, ...read, effect: "deny" }, report);
  if (may === undefined) return undefined;
  let certain = true;
  const doubt = (): void => void (certain = false);
  const sure = compileRule({ ...conditions, ...read, effect: "allow" }, doubt);
  if (sure !== undefined) checkRule(sure, {}, tools, doubt, () => {});
  return { source, key: markKey(source.file, source.name), may, sure: certain ? sure : undefined };
}
