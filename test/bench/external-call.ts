import type { ToolCall } from "@bylaw/kernel";

const ROOTS = ["/testbed", "/system", "/SWE-agent__test-repo"];

/** A command that others recorded or labelled. */
export interface Case {
  readonly command: string | null;
  readonly label: string | null;
  readonly class?: string;
  readonly fixture?: string;
}

/** The folder in which a command runs, if its set names one. */
function placeOf({ command, fixture }: Case): Pick<ToolCall, "cwd" | "workspace" | "home"> {
  const root = ROOTS.find((each) => command?.includes(each));
  if (fixture === undefined)
    return { cwd: root ?? "/workspace", workspace: root ?? "/workspace", home: "/home/dev" };
  const inside = !/^(project|composition)-linux/.test(fixture);
  const cwd = inside ? "/workspace/project" : "/workspace/outside";
  const below = fixture.startsWith("git-subdir") ? "/src" : "";
  return { cwd: `${cwd}${below}`, workspace: "/workspace/project", home: "/home/test" };
}

// Maps SWE-agent's own tools to common tools that do the same. Its edits name no file and change the open one.
const OWN_TOOL = /^(open|create|edit|insert|find_file)\b(?: "?([^\s"]+))?/;

/** The call that a case stands for. */
export function callOf(one: Case, set: string): ToolCall {
  const call = { hook: "beforeToolCall", approval_mode: "ask", ...placeOf(one) } as const;
  const command = one.command ?? "";
  const own = set === "swe-agent-actions" ? OWN_TOOL.exec(command) : null;
  if (own === null) return { ...call, tool: "bash", args: { command } };
  const [, name = "", path = ""] = own;
  if (name === "find_file") return { ...call, tool: "glob", args: { pattern: `**/${path}` } };
  const named = name === "open" || name === "create" ? path : "opened.py";
  return { ...call, tool: name === "open" ? "read_file" : "write_file", args: { path: named } };
}
