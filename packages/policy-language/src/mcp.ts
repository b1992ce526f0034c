import type { ToolCall } from "@bylaw/kernel";
import { compileGlob, type Glob } from "./glob.ts";

/** Which tool a call is for. A tool of an MCP server is the pair of both names, never the text that glues them. */
export interface Identity {
  /** `unresolved`: it looks like an MCP tool and does not come from exactly one registered server. */
  readonly kind: "local" | "mcp" | "unresolved";
  readonly server?: string;
  /** The tool's own name, without any prefix. */
  readonly bare: string;
  /** Every text that a deny or an ask compares. */
  readonly names: readonly string[];
}

/** Finds out which tool a call is for. */
export function identify(call: ToolCall): Identity {
  const { tool, server, servers } = call;
  if (server !== undefined) return withServer(tool, server, servers);
  if (!tool.startsWith("mcp_")) return { kind: "local", bare: tool, names: [tool] };
  let found: Identity | undefined;
  for (const name of servers === undefined ? [] : Object.keys(servers)) {
    for (const prefix of prefixes(name)) {
      if (!tool.startsWith(prefix)) continue;
      const bare = tool.slice(prefix.length);
      if (servers?.[name]?.includes(bare) !== true) continue;
      if (found !== undefined && (found.server !== name || found.bare !== bare)) return unresolved(tool);
      found = resolved(name, bare);
    }
  }
  return found ?? unresolved(tool);
}

function withServer(tool: string, server: string, servers: ToolCall["servers"]): Identity {
  if (server === "") return unresolved(tool, server);
  const listed = servers === undefined ? undefined : Object.hasOwn(servers, server) ? (servers[server] ?? []) : [];
  if (!tool.startsWith("mcp_")) {
    return listed === undefined || listed.includes(tool) ? resolved(server, tool) : unresolved(tool, server);
  }
  // With a prefix the name may be the server's own, or glued; a name with the prefix of some other server contradicts the host.
  const bares = prefixes(server).flatMap((prefix) => (tool.startsWith(prefix) && tool !== prefix ? [tool.slice(prefix.length)] : []));
  const candidates = listed === undefined ? bares : [...bares, tool].filter((bare) => listed.includes(bare));
  const [bare] = candidates;
  return bare === undefined || candidates.length > 1 ? unresolved(tool, server) : resolved(server, bare);
}

const prefixes = (server: string): readonly string[] => [`mcp__${server}__`, `mcp_${server}_`];

function resolved(server: string, bare: string): Identity {
  return { kind: "mcp", server, bare, names: [`mcp__${server}__${bare}`, `mcp_${server}_${bare}`, bare] };
}

function unresolved(tool: string, server?: string): Identity {
  const names = server === undefined ? [tool] : [tool, `mcp__${server}__${tool}`, `mcp_${server}_${tool}`];
  return { kind: "unresolved", bare: tool, names, ...(server === undefined ? {} : { server }) };
}

/** One alternative of `tool`, compiled for both sides. */
export interface ToolPattern {
  readonly glob: Glob;
  /** It reads as server and tool in more than one way, so that an allow would cover tools of several servers. */
  readonly ambiguous: boolean;
  allows(identity: Identity): boolean;
  denies(identity: Identity): boolean;
}

/** Compiles one alternative of `tool`. `server`: the rule names a server, so that `tool` is the server's own name for it. */
export function compileTool(source: string, { server }: { readonly server: boolean }): ToolPattern {
  const glob = compileGlob(source);
  const splits = splitsOf(source);
  const textual = glob.any || (source.startsWith("mcp_") && splits.length === 0);
  return {
    glob,
    ambiguous: !server && splits.length > 1,
    allows(identity) {
      if (identity.kind === "local") return glob.matches(identity.bare);
      if (identity.kind === "unresolved") return false;
      if (server && glob.matches(identity.bare)) return true;
      if (textual) return identity.names.some((name) => name !== identity.bare && glob.matches(name));
      return splits.some((split) => split.server.matches(identity.server ?? "") && split.tool.matches(identity.bare));
    },
    denies: (identity) => identity.names.some((name) => glob.matches(name)),
  };
}

// Every way to read a pattern as server and tool: `mcp__S__T` at each `__`, `mcp_S_T` at each `_`.
function splitsOf(source: string): readonly { readonly server: Glob; readonly tool: Glob }[] {
  const mark = source.startsWith("mcp__") ? "__" : source.startsWith("mcp_") ? "_" : undefined;
  if (mark === undefined) return [];
  const rest = source.slice(3 + mark.length);
  const splits: { server: Glob; tool: Glob }[] = [];
  for (let at = rest.indexOf(mark, 1); at >= 0 && splits.length < 32; at = rest.indexOf(mark, at + 1)) {
    const tool = rest.slice(at + mark.length);
    if (tool === "" || inClass(rest, at)) continue;
    splits.push({ server: compileGlob(rest.slice(0, at)), tool: compileGlob(tool) });
  }
  return splits;
}

function inClass(text: string, at: number): boolean {
  const open = text.lastIndexOf("[", at);
  const close = text.indexOf("]", at);
  return open >= 0 && close >= 0 && text.indexOf("]", open + 1) >= at;
}

/** Whether a rule's `server` speaks of this call. A name that is not resolved is split at every place, for a deny only. */
export function serverMatches(globs: readonly Glob[], identity: Identity, { allow }: { readonly allow: boolean }): boolean {
  if (identity.kind === "mcp") return globs.some((glob) => glob.matches(identity.server ?? ""));
  if (allow || identity.kind === "local") return false;
  if (identity.server !== undefined && globs.some((glob) => glob.matches(identity.server ?? ""))) return true;
  const rest = identity.bare.replace(/^mcp__?/, "");
  for (let at = rest.indexOf("_"); at >= 0; at = rest.indexOf("_", at + 1)) {
    const server = rest.slice(0, at);
    if (globs.some((glob) => glob.matches(server))) return true;
  }
  return globs.some((glob) => glob.matches(rest));
}
