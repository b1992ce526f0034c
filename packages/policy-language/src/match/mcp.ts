import type { ToolCall } from "@bylaw/kernel";
import { compileGlob, type Glob } from "./glob.ts";

/** The identity of the called tool. An MCP tool is a pair of server and name, never one joined text. */
export interface Identity {
  /** `unresolved`: the name looks like an MCP tool, but does not belong to exactly one registered server. */
  readonly kind: "local" | "mcp" | "unresolved";
  readonly server?: string;
  /** The tool's own name, without a prefix. */
  readonly bare: string;
  /** Every text that a deny or an ask is compared with. */
  readonly names: readonly string[];
  /** Every possible reading of an unresolved name. A deny or an ask matches any of them. */
  readonly readings: readonly Reading[];
}

/** One reading of a name as server and tool. */
interface Reading {
  readonly server: string;
  readonly bare: string;
  /** Whether the name has one of the joined forms, `mcp__s__t` or `mcp_s_t`, so that it identifies the tool without the server. */
  readonly glued: boolean;
}

const NO_READINGS: readonly Reading[] = [];

// The same few tools are called repeatedly, and a look-up is faster than computing their texts. Without a registry,
// the two names are the whole key. The cache holds as many as a host may have tools, and is emptied when it is full.
const KEPT_TOOLS = 4_096;
const KEPT_NAME = 128;
const kept = new Map<string | undefined, Map<string, Identity>>();
let keptTools = 0;

/** Identifies the tool of a call. */
export function identify(call: ToolCall): Identity {
  const { tool, server, servers } = call;
  if (servers !== undefined || tool.length > KEPT_NAME || (server?.length ?? 0) > KEPT_NAME)
    return identifyAnew(call);
  const known = kept.get(server)?.get(tool);
  if (known !== undefined) return known;
  if (keptTools === KEPT_TOOLS) {
    kept.clear();
    keptTools = 0;
  }
  const found = identifyAnew(call);
  const ofServer = kept.get(server) ?? new Map<string, Identity>();
  kept.set(server, ofServer.set(tool, found));
  keptTools += 1;
  return found;
}

function identifyAnew(call: ToolCall): Identity {
  const { tool, server, servers } = call;
  if (server !== undefined) return withServer(tool, server, servers);
  if (!tool.startsWith("mcp_"))
    return { kind: "local", bare: tool, names: [tool], readings: NO_READINGS };
  let found: Identity | undefined;
  for (const name of servers === undefined ? [] : Object.keys(servers)) {
    for (const prefix of prefixes(name)) {
      if (!tool.startsWith(prefix)) continue;
      const bare = tool.slice(prefix.length);
      if (servers?.[name]?.includes(bare) !== true) continue;
      if (found !== undefined && (found.server !== name || found.bare !== bare))
        return unresolved(tool);
      found = resolved(name, bare);
    }
  }
  return found ?? unresolved(tool);
}

function withServer(tool: string, server: string, servers: ToolCall["servers"]): Identity {
  if (server === "") return unresolved(tool, server);
  const listed =
    servers === undefined
      ? undefined
      : Object.hasOwn(servers, server)
        ? (servers[server] ?? [])
        : [];
  if (!tool.startsWith("mcp_")) {
    return listed === undefined || listed.includes(tool)
      ? resolved(server, tool)
      : unresolved(tool, server);
  }
  // A name with the server's prefix may be the tool's own name or a joined one. A name with another server's prefix
  // contradicts the host.
  const bares = prefixes(server).flatMap((prefix) =>
    tool.startsWith(prefix) && tool !== prefix ? [tool.slice(prefix.length)] : [],
  );
  const candidates =
    listed === undefined ? bares : [...bares, tool].filter((bare) => listed.includes(bare));
  const [bare] = candidates;
  return bare === undefined || candidates.length > 1
    ? unresolved(tool, server)
    : resolved(server, bare);
}

const prefixes = (server: string): readonly string[] => [`mcp__${server}__`, `mcp_${server}_`];

function resolved(server: string, bare: string): Identity {
  return {
    kind: "mcp",
    server,
    bare,
    names: [`mcp__${server}__${bare}`, `mcp_${server}_${bare}`, bare],
    readings: NO_READINGS,
  };
}

function unresolved(tool: string, server?: string): Identity {
  const names =
    server === undefined ? [tool] : [tool, `mcp__${server}__${tool}`, `mcp_${server}_${tool}`];
  const split = readingsOf(tool);
  if (server === undefined) return { kind: "unresolved", bare: tool, names, readings: split };
  return {
    kind: "unresolved",
    bare: tool,
    names,
    readings: [...split, ...split.map((one) => ({ ...one, server }))],
    server,
  };
}

// Splits at every single or double underscore, because names of servers and tools may contain underscores too.
function readingsOf(tool: string): readonly Reading[] {
  const own = tool.startsWith("mcp__") ? "__" : "_";
  const found: Reading[] = [];
  for (const glue of ["__", "_"]) {
    if (!tool.startsWith(`mcp${glue}`)) continue;
    const rest = tool.slice(3 + glue.length);
    for (let at = rest.indexOf("_"); at >= 0; at = rest.indexOf("_", at + 1)) {
      for (const mark of ["__", "_"]) {
        const bare = rest.startsWith(mark, at) ? rest.slice(at + mark.length) : "";
        if (bare !== "")
          found.push({ server: rest.slice(0, at), bare, glued: glue === own && mark === own });
      }
    }
  }
  return found;
}

/** Every text under which the index may list a rule about a call. */
export function textsOf({ names, readings }: Identity): Iterable<string> {
  return readings.length === 0 ? names : new Set([...names, ...readings.map(({ bare }) => bare)]);
}

/**
 * Whether the `tool` of a deny or an ask matches a call. An unresolved name matches by any of its readings; in a rule
 * with `server`, by a reading with that server.
 */
export function toolDenies(
  patterns: readonly ToolPattern[],
  servers: readonly Glob[] | undefined,
  identity: Identity,
): boolean {
  if (patterns.some((pattern) => pattern.denies(identity))) return true;
  return identity.readings.some(
    ({ server, bare, glued }) =>
      (servers === undefined ? glued : servers.some((glob) => glob.matches(server))) &&
      patterns.some(({ glob }) => glob.matches(bare)),
  );
}

/** One alternative of `tool`, compiled both for allows and for stricter rules. */
export interface ToolPattern {
  readonly glob: Glob;
  /** Whether the pattern can be split into server and tool in several ways. Then an allow would cover tools of several servers. */
  readonly ambiguous: boolean;
  allows(identity: Identity): boolean;
  denies(identity: Identity): boolean;
}

/** Compiles one alternative of `tool`. `server`: the rule has `server`, so `tool` is the tool's own name on that server. */
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
      if (textual)
        return identity.names.some((name) => name !== identity.bare && glob.matches(name));
      return splits.some(
        (split) => split.server.matches(identity.server ?? "") && split.tool.matches(identity.bare),
      );
    },
    denies: (identity) => identity.names.some((name) => glob.matches(name)),
  };
}

// Every split of a pattern into server and tool: `mcp__S__T` at each `__`, `mcp_S_T` at each `_`.
function splitsOf(source: string): readonly { readonly server: Glob; readonly tool: Glob }[] {
  const mark = source.startsWith("mcp__") ? "__" : source.startsWith("mcp_") ? "_" : undefined;
  if (mark === undefined) return [];
  const rest = source.slice(3 + mark.length);
  const splits: { server: Glob; tool: Glob }[] = [];
  for (
    let at = rest.indexOf(mark, 1);
    at >= 0 && splits.length < 32;
    at = rest.indexOf(mark, at + 1)
  ) {
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

/** Whether a rule's `server` matches a call. For a deny only, an unresolved name is split at every possible position. */
export function serverMatches(
  globs: readonly Glob[],
  identity: Identity,
  { allow }: { readonly allow: boolean },
): boolean {
  if (identity.kind === "mcp") return globs.some((glob) => glob.matches(identity.server ?? ""));
  if (allow || identity.kind === "local") return false;
  if (identity.server !== undefined && globs.some((glob) => glob.matches(identity.server ?? "")))
    return true;
  const rest = identity.bare.replace(/^mcp__?/, "");
  for (let at = rest.indexOf("_"); at >= 0; at = rest.indexOf("_", at + 1)) {
    const server = rest.slice(0, at);
    if (globs.some((glob) => glob.matches(server))) return true;
  }
  return globs.some(
    (glob) => glob.matches(rest) || identity.readings.some(({ server }) => glob.matches(server)),
  );
}
