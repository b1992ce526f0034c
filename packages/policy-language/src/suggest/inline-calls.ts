import type { ToolCall } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { namesTool } from "../compile/rule-tool.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import { inlineCasesOf } from "../prove/inline.ts";

/** What an inline case asks about. */
export interface InlineCall {
  /** For a person. */
  readonly name: string;
  readonly rule: string;
  /** From 1. */
  readonly line: number;
  readonly call: ToolCall;
}

/** The calls of a file's inline cases, with the folder, agent and mode of another call. */
export function inlineCallsOf(
  file: PolicyFile,
  { args: _, tool: own, server: _server, facts: _facts, ...place }: ToolCall,
  tools: ToolTable,
): readonly InlineCall[] {
  const rules = new Map(file.rules.map((rule) => [rule.source.name, rule]));
  return inlineCasesOf(file).flatMap(({ rule: owner, text, line }) => {
    const rule = rules.get(owner);
    if (rule === undefined) return [];
    const of = { name: `the case ${quote(text)} (${file.file}:${line})`, rule: owner, line };
    if (rule.words === undefined && rule.regex === undefined)
      return [{ ...of, call: { ...place, tool: text, args: {} } }];
    const shells = [...tools.shell].filter(([tool]) => namesTool(rule, tool));
    const shell = shells.find(([tool]) => tool === own) ?? shells[0];
    if (shell === undefined) return [];
    const [tool, argument] = shell;
    return [{ ...of, call: { ...place, tool, args: { [argument]: text } } }];
  });
}
