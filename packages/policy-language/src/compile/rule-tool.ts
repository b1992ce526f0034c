import { serverMatches, toolDenies, type Identity } from "../match/mcp.ts";
import type { Rule } from "./rule.ts";

/** Whether the `tool` of a rule matches a name as written. True if the rule has no `tool`. */
export function namesTool({ tools }: Rule, name: string): boolean {
  return tools === undefined || tools.some(({ glob }) => glob.matches(name));
}

/** Whether a rule is about a tool, whatever its other conditions are. */
export function appliesToTool({ tools, servers }: Rule, identity: Identity): boolean {
  if (tools !== undefined && !toolDenies(tools, servers, identity)) return false;
  return servers === undefined || serverMatches(servers, identity, { allow: false });
}
