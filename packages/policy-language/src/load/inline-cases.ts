import type { ToolCall } from "@bylaw/kernel";
import { CallFacts } from "../match/call-facts.ts";
import { quote } from "./finding.ts";
import type { Rule, RuleComplaint } from "../compile/rule.ts";
import { namesTool } from "../compile/rule-tool.ts";
import type { ToolTable } from "../compile/tool-table.ts";

interface Cases {
  readonly match?: string | readonly string[] | undefined;
  readonly not_match?: string | readonly string[] | undefined;
}

/** The keys of a rule that its inline cases test. */
export const INLINE_PARTS: ReadonlySet<string> = new Set([
  "tool",
  "command",
  "command_regex",
  "effects",
]);

/**
 * Runs the inline cases of a rule: shell lines if the rule is about commands, otherwise tool names. They test only
 * the patterns of tool and command.
 */
export function runInlineCases(
  rule: Rule,
  cases: Cases,
  tools: ToolTable,
  report: RuleComplaint,
): void {
  for (const key of ["match", "not_match"] as const) {
    const given = cases[key];
    const list = typeof given === "string" ? [given] : (given ?? []);
    for (const [at, text] of list.entries()) {
      const { matched, why } = judge(rule, text, tools);
      if (matched === (key === "match")) continue;
      report(
        typeof given === "string" ? [key] : [key, at],
        matched
          ? `The rule ${quote(rule.source.name)} matches ${quote(text)}, but \`not_match\` says that it must not`
          : `The rule ${quote(rule.source.name)} does not match ${quote(text)}${why}, but \`match\` says that it must`,
      );
    }
  }
}

function judge(
  rule: Rule,
  text: string,
  tools: ToolTable,
): { readonly matched: boolean; readonly why: string } {
  if (rule.words === undefined && rule.regex === undefined && rule.effects === undefined) {
    return { matched: namesTool(rule, text), why: "" };
  }
  const shell = [...tools.shell.keys()].find((name) => namesTool(rule, name));
  if (shell === undefined) return { matched: false, why: "" };
  const call: ToolCall = {
    hook: "beforeToolCall",
    tool: shell,
    args: { [tools.shell.get(shell) ?? "command"]: text },
  };
  const { line, commands } = new CallFacts(call, tools);
  const holds = (facts: CallFacts): boolean =>
    rule.parts.every((part) => !INLINE_PARTS.has(part.key) || part.holds(facts));
  // An allow must cover every command of the line. A deny or an ask needs to match only one.
  const matched = rule.source.effect === "allow" ? commands.every(holds) : commands.some(holds);
  const why = line?.unknown ?? line?.parts.find(({ unknown }) => unknown !== undefined)?.unknown;
  return { matched, why: why === undefined ? "" : ` (${why})` };
}
