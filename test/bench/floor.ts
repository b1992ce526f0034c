import type { ToolCall } from "@bylaw/kernel";

/**
 * The time of a hand-written bare index for the same rules and calls: a Map by tool, by server, by program, and the regular
 * expressions of a shared tool. It checks no input, gives no reason and combines nothing: a floor, not a product.
 */
export function floorOf(count: number): (call: ToolCall) => string {
  const exact = new Map<string, string>();
  const servers = new Map<string, string>();
  const programs = new Map<string, string>();
  const patterns = new Map<string, [RegExp, string][]>();
  for (let index = 0; index < count; index += 1) {
    const effect = index % 2 === 0 ? "allow" : "deny";
    if (index % 4 === 0) exact.set(`tool_${index}`, effect);
    else if (index % 4 === 1) servers.set(`srv${index}`, effect);
    else if (index % 4 === 3) programs.set(`prog${index}`, effect);
    else {
      const tool = `shared_${(index >> 2) % 16}`;
      const list = patterns.get(tool) ?? [];
      patterns.set(tool, list);
      list.push([new RegExp(`^/proj/p${index}/.*\\.secret$`), effect]);
    }
  }
  return ({ tool, server, args }) => {
    const named = args as Readonly<Record<string, string>>;
    if (server !== undefined) return servers.get(server) ?? "ask_user";
    if (tool === "run_shell_command") {
      const command = named["command"] ?? "";
      return programs.get(command.slice(0, command.indexOf(" "))) ?? "ask_user";
    }
    const list = patterns.get(tool);
    if (list === undefined) return exact.get(tool) ?? "ask_user";
    const path = named["path"] ?? "";
    for (const [pattern, effect] of list) if (pattern.test(path)) return effect;
    return "ask_user";
  };
}
