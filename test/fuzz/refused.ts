import { compilePolicy, parsePolicy } from "@bylaw/policy-language";
import { refused, soup } from "../../packages/shell/test/refused.ts";
import type { Fuzz } from "./clock.ts";

// A policy that allows every known command.
const POLICY = `default = "ask_user"
[[rules]]
name = "all"
action = "allow"
tool = "run_shell_command"
command = ["*", "* *"]
`;

/** Checks that no line that bash refuses is allowed, whatever the rules. */
export function fuzzRefused({ runs, seed }: Fuzz): string {
  const pool = compilePolicy([parsePolicy(POLICY, { file: "all.toml", operator: true })]);
  const lines = soup(runs, seed);
  const answers = refused(lines);
  let allowed = 0;
  for (const [index, command] of lines.entries()) {
    const call = {
      hook: "beforeToolCall",
      tool: "run_shell_command",
      args: { command },
      cwd: "/w",
      home: "/home/dev",
    } as const;
    if (!(pool.evaluate(call) ?? []).some(({ effect }) => effect === "allow")) continue;
    allowed++;
    if (answers[index])
      throw new Error(`${JSON.stringify(command)} is allowed, but bash refuses it (seed ${seed})`);
  }
  return `${runs} lines: bash refused ${answers.filter((answer) => answer).length} and none of them was allowed, ${allowed} others were`;
}
