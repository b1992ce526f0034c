import type { ToolCall } from "@bylaw/kernel";
import { compilePolicy } from "../src/index.ts";
import { policyOf, type RuleData } from "./toml.ts";

/** Creates a call in `/w` with the home folder `/home/dev`. */
export const call = (
  tool: string,
  args: ToolCall["args"] = {},
  more: Partial<ToolCall> = {},
): ToolCall => ({ hook: "beforeToolCall", tool, args, cwd: "/w", home: "/home/dev", ...more });

export const run = (command: string): ToolCall => call("run_shell_command", { command });

/** Returns `effect code rule` of the deciding vote, or `abstain`. */
export function verdictOf(rules: readonly RuleData[], one: ToolCall, top: RuleData = {}): string {
  const pool = compilePolicy([
    policyOf(
      rules.map((rule, at) => ({ name: `r${at}`, ...rule })),
      top,
    ),
  ]);
  const [vote] = (pool.evaluate(one) ?? []).filter(({ shadow }) => shadow !== true);
  return vote === undefined
    ? "abstain"
    : [vote.effect, vote.code, vote.rule?.name].filter((part) => part !== undefined).join(" ");
}

/** Returns only the effect. */
export const effectOf = (rules: readonly RuleData[], one: ToolCall, top: RuleData = {}): string =>
  verdictOf(rules, one, top).split(" ")[0] ?? "";
