import { isJsonObject, type Effect, type ToolCall } from "@bylaw/kernel";
import { PatternError, quote } from "../../load/finding.ts";
import { identify, type Identity } from "../../match/mcp.ts";
import type { ToolTable } from "../../compile/tool-table.ts";

/** The tool of a call, as rules with `compat = "gemini"` see it. */
export interface GeminiTool {
  readonly identity: Identity;
  /** The names of the tool in gemini-cli. */
  readonly names: ReadonlySet<string>;
  /** The argument that holds the shell line. Undefined if the tool is no shell. */
  readonly shell: string | undefined;
}

/** gemini-cli's name of the shell tool. Rules use it whatever the host calls its own. */
export const SHELL = "run_shell_command";
/** gemini-cli's names of the tool that searches files. */
export const SEARCH: readonly string[] = ["search_file_content", "grep_search"];

/** Identifies the tool of a call by gemini-cli's names. */
export function geminiTool(call: ToolCall, tools: ToolTable): GeminiTool {
  const identity = identify(call);
  const { tool, args } = call;
  const names = new Set([tool]);
  if (identity.kind !== "local") return { identity, names, shell: undefined };
  if (SEARCH.includes(tool)) for (const name of SEARCH) names.add(name);
  const shell = tool === "ShellTool" ? "command" : tools.shell.get(tool);
  if (shell !== undefined) names.add(SHELL);
  // The name of a called agent counts as a tool name, so a rule can be about calls of one agent.
  const agent =
    tool === "invoke_agent" && isJsonObject(args) && Object.hasOwn(args, "agent_name")
      ? args["agent_name"]
      : undefined;
  if (typeof agent === "string") names.add(agent);
  return { identity, names, shell };
}

/** Compiles one `toolName` with its `mcpName`. Throws {@link PatternError}. */
export function compileGeminiTool(
  toolName: string,
  mcpName: string | undefined,
  effect: Effect,
): (tool: GeminiTool) => boolean {
  const server = /^mcp_(.+)_\*$/.exec(toolName)?.[1];
  if (
    toolName !== "*" &&
    toolName !== "mcp_*" &&
    (server === undefined ? toolName : server).includes("*")
  ) {
    throw new PatternError(
      `The rule never matches: gemini-cli takes the \`*\` in ${quote(toolName)} literally. Only \`*\`, \`mcp_*\` and \`mcp_<server>_*\` are wildcards`,
      "Name the tools in a list, or write the rule in the language of Bylaw, where `*` is a glob",
    );
  }
  if (mcpName !== undefined) {
    if (mcpName !== "*" && mcpName.includes("*")) {
      throw new PatternError(
        `The rule never matches: gemini-cli takes the \`*\` in the server ${quote(mcpName)} literally. Write a name, or \`*\` alone`,
      );
    }
    if (toolName === "mcp_*" || server !== undefined) {
      throw new PatternError(
        `With \`mcpName\`, the tool must be \`*\` or the name that the server uses, not ${quote(toolName)}`,
        `Write \`toolName = "*"\``,
      );
    }
    return ({ identity }) =>
      ofServer(mcpName, identity, effect) && ofTool(toolName, identity, effect);
  }
  if (toolName === "*") return () => true;
  if (toolName === "mcp_*") return ({ identity }) => identity.kind !== "local";
  if (server !== undefined) return ({ identity }) => ofServer(server, identity, effect);
  return ({ identity, names }) => {
    if (identity.kind === "local") return names.has(toolName);
    // An allow must name the server too. A deny covers the tool of that name on every server.
    const full = identity.names.filter(
      (name) => name !== identity.bare || identity.kind === "unresolved",
    );
    return (
      (effect === "deny" ? identity.names : full).includes(toolName) ||
      (effect === "ask_user" && names.has(toolName))
    );
  };
}

function ofServer(
  server: string,
  { kind, server: actual, bare }: Identity,
  effect: Effect,
): boolean {
  if (kind === "local") return false;
  if (kind === "mcp") return server === "*" || actual === server;
  // The server is unknown: a deny or an ask matches every possible reading, an allow none.
  return (
    effect !== "allow" &&
    (server === "*" ||
      actual === server ||
      bare.startsWith(`mcp_${server}_`) ||
      bare.startsWith(`mcp__${server}__`))
  );
}

function ofTool(tool: string, { kind, bare }: Identity, effect: Effect): boolean {
  if (tool === "*" || bare === tool) return true;
  return kind === "unresolved" && effect !== "allow" && bare.endsWith(`_${tool}`);
}
