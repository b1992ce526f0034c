import type { Verdict } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import type { Compiled, CompiledPhase, ReferenceOf } from "./compile.ts";

/** The most names in one message. */
export const LISTED = 5;

export function refuseTool(
  { tool, name }: { readonly tool: string; readonly name: string },
  phase: CompiledPhase,
  compiled: Compiled,
  where: ReferenceOf,
): Verdict | undefined {
  // An MCP tool may have the name of a host's tool. It is then forbidden like that tool, but never allowed by it.
  const forbidden = phase.forbidden.has(name) || phase.forbidden.has(tool);
  if (!forbidden && phase.allowed.has(name)) return undefined;
  const { id } = phase.phase;
  const allowed = [...phase.allowed].filter((one) => !phase.forbidden.has(one));
  const what = forbidden ? `forbids ${quote(name)} and allows` : "allows";
  return refuse(
    forbidden ? "phase_tool_forbidden" : "phase_tool_not_allowed",
    `The phase ${quote(id)} ${what} ${quoteAll(allowed, LISTED)}; ${elsewhere(name, id, compiled)}`,
    "Use one of these tools, or ask for a transition",
    where(forbidden ? "forbidden_tools" : "allowed_tools"),
  );
}

// The next phase that allows the tool, else an earlier one.
function elsewhere(name: string, id: string, { phases }: Compiled): string {
  const all = [...phases.values()];
  const here = all.findIndex(({ phase }) => phase.id === id);
  const allows = ({ allowed, forbidden }: CompiledPhase): boolean =>
    allowed.has(name) && !forbidden.has(name);
  const next = all.findIndex((phase, index) => index > here && allows(phase));
  const found = all[next] ?? all.find(allows);
  if (found === undefined) return `no phase allows ${quote(name)}`;
  const stays = next !== -1 && all.slice(next).every(allows);
  return `${quote(name)} is allowed ${stays ? "from" : "in"} ${quote(found.phase.id)}${stays ? " on" : ""}`;
}
