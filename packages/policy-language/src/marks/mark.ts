import { markKey } from "./mark-reference.ts";
import { compileRule, type Rule, type RuleComplaint, type RuleSource } from "../compile/rule.ts";
import { checkRule } from "../load/check-rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/** The conditions of a rule that a mark has too. */
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

/** One `[[marks]]` as written, with its spellings settled. */
export interface MarkSource extends MarkConditions {
  readonly name: string;
  /** The mark is set only once the result of the call is on record and good. */
  readonly passed: boolean;
  /** Marks of the same file: a call that sets one of them clears this one. */
  readonly cleared_by: readonly string[];
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A compiled mark. */
export interface Mark {
  readonly source: MarkSource;
  readonly key: string;
  /** Matches what may set the mark, as a deny reads a call. */
  readonly may: Rule;
  /** Matches what is certain to set it, as an allow reads a call. Undefined where no call is certain to. */
  readonly sure: Rule | undefined;
}

/** Compiles a mark. Reports every wrong pattern; the result is undefined when there was one. */
export function compileMark(
  source: MarkSource,
  tools: ToolTable,
  report: RuleComplaint,
): Mark | undefined {
  const { passed: _, cleared_by: __, ...conditions } = source;
  const read = { tier: "default", shadow: false, final: false } as const;
  const may = compileRule({ ...conditions, ...read, effect: "deny" }, tools, report);
  if (may === undefined) return undefined;
  let certain = true;
  const doubt = (): void => void (certain = false);
  const sure = compileRule({ ...conditions, ...read, effect: "allow" }, tools, doubt);
  if (sure !== undefined) checkRule(sure, {}, tools, doubt, () => {});
  return { source, key: markKey(source.file, source.name), may, sure: certain ? sure : undefined };
}
