import type { ToolCall } from "@bylaw/kernel";

/** How many shapes of rules a policy mixes in equal parts: exact tool, MCP server, tool and argument pattern, shell command. */
const SHAPES = 4;
const SHARED_TOOLS = 16;

/** A policy of `count` rules: a quarter of each shape, allow and deny in turn, each matching its own call. */
export function policyOf(count: number): string {
  const rules = Array.from({ length: count }, (_, index) => {
    const head = `[[rules]]\nname = "rule-${index}"\npriority = "user"\naction = "${index % 2 === 0 ? "allow" : "deny"}"\n`;
    return head + MATCHERS[index % SHAPES]?.(index);
  });
  return `default = "ask_user"\n\n${rules.join("\n")}`;
}

const MATCHERS: readonly ((index: number) => string)[] = [
  (index) => `tool = "tool_${index}"\n`,
  (index) => `tool = "mcp__srv${index}__*"\n`,
  (index) =>
    `tool = "shared_${(index >> 2) % SHARED_TOOLS}"\nargs = { path = { regex = "/proj/p${index}/.*\\\\.secret" } }\n`,
  (index) => `tool = "run_shell_command"\ncommand = "prog${index} sub *"\n`,
];

/** A call that the rule `index` decides. */
export function hit(index: number): ToolCall {
  const base = { hook: "beforeToolCall", cwd: "/workspace", agent: "agent-1" } as const;
  switch (index % SHAPES) {
    case 0:
      return { ...base, tool: `tool_${index}`, args: { path: "src/index.ts", limit: 20 } };
    case 1:
      return { ...base, tool: "get_issue", server: `srv${index}`, args: { id: 7 } };
    case 2:
      return {
        ...base,
        tool: `shared_${(index >> 2) % SHARED_TOOLS}`,
        args: { path: `/proj/p${index}/a/b.secret` },
      };
    default:
      return {
        ...base,
        tool: "run_shell_command",
        args: { command: `prog${index} sub --flag value` },
      };
  }
}

/** A call of the same kind that no rule matches. */
export function miss(index: number): ToolCall {
  const base = { hook: "beforeToolCall", cwd: "/workspace", agent: "agent-1" } as const;
  switch (index % SHAPES) {
    case 0:
      return { ...base, tool: `other_${index}`, args: { path: "src/index.ts", limit: 20 } };
    case 1:
      return { ...base, tool: "get_issue", server: `other${index}`, args: { id: 7 } };
    case 2:
      return {
        ...base,
        tool: `shared_${(index >> 2) % SHARED_TOOLS}`,
        args: { path: `/proj/p${index}/a/b.public` },
      };
    default:
      return {
        ...base,
        tool: "run_shell_command",
        args: { command: `other${index} sub --flag value` },
      };
  }
}

/** Shell lines for the first rules. With a number after it, the long one has about 100 characters. */
export const SHORT_LINE = "prog3 sub --flag";
export const LONG_LINE =
  'cd src && prog3 sub --flag "two words" | grep -v node_modules > out.txt; test -f out.txt && wc -l';
