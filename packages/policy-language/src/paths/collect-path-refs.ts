import type { Json } from "@bylaw/kernel";
import {
  COPIES,
  EXPANDS,
  GENERIC_PATHS,
  GLOBS,
  PRINTS,
  type FileTool,
} from "../compile/tool-table.ts";
import { maySearchMore } from "../match/argument-names.ts";
import { expand } from "../match/glob.ts";
import { pathsOfCommand } from "./command-path-refs.ts";
import { addPatch, UNREAD_PATCH } from "./patch-paths.ts";
import { collectLikelyPaths, findUnknownArg } from "./unknown-args.ts";
import {
  MAX_PATHS,
  collect,
  listOf,
  movedPaths,
  own,
  printedRef,
  type Args,
  type CollectedPathRefs,
  type PathRef,
  type PathSource,
} from "./path-refs.ts";

export function collectPathRefs(facts: PathSource): CollectedPathRefs {
  const found = findPaths(facts);
  if (found.wanted.length <= MAX_PATHS) return found;
  return {
    ...found,
    wanted: found.wanted.slice(0, MAX_PATHS),
    unknown: `a call with more than ${MAX_PATHS} paths`,
    tooMany: true,
  };
}

const GENERIC: ReadonlySet<string> = new Set(GENERIC_PATHS);

function findPaths(facts: PathSource): CollectedPathRefs {
  const { identity, tools, call } = facts;
  const tool = tools.files.get(identity.bare);
  if (tool !== undefined && identity.kind === "local") return fromTable(identity.bare, tool, facts);
  if (facts.part !== null) return pathsOfCommand(facts.part, facts.args);
  const wanted: PathRef[] = [];
  const names =
    tool === undefined
      ? GENERIC
      : new Set([...(tool.read ?? []), ...(tool.write ?? []), ...GENERIC]);
  for (const name of names) collect(wanted, own(facts.args, name), "both");
  collectLikelyPaths(wanted, call.args, names);
  // One text may be a list of files.
  const lists = wanted.flatMap(({ text }) =>
    typeof text === "string" && text.includes(",") ? text.split(/\s*,\s*/) : [],
  );
  collect(wanted, lists, "both");
  return {
    wanted: [...wanted, ...movedPaths(wanted, facts.args)],
    unknown: undefined,
    from: "generic",
  };
}

function fromTable(name: string, tool: FileTool, source: PathSource): CollectedPathRefs {
  const { args, call } = source;
  const wanted: PathRef[] = [];
  for (const argument of tool.read ?? []) collect(wanted, own(args, argument), "read");
  for (const argument of tool.write ?? []) collect(wanted, own(args, argument), "write");
  const patched = addPatches(wanted, tool, args);
  const search = tool.cwd === true;
  const expands = EXPANDS.has(name) || (tool.globs ?? []).length > 0;
  const wild = expands ? EXPANDED : WILD;
  let unknown = args === undefined ? "arguments without names" : undefined;
  if (wanted.some(({ text }) => typeof text === "string" && wild.test(text)))
    unknown ??= "a wildcard in a path";
  if (wanted.length === 0) {
    if (search) wanted.push({ text: ".", access: "read" });
    else unknown ??= "a file tool without a path";
  }
  const accounted = accountedIn(tool);
  const prints = PRINTS.get(name);
  if (prints !== undefined)
    addPrinted(wanted, tool, args, prints === "all" || widens(args, accounted));
  const ends = COPIES.get(name);
  // A configuration may describe the tool's arguments differently.
  const copies =
    ends !== undefined && [...ends.from, ...ends.to].every((argument) => accounted.has(argument));
  const reasons = [
    patched,
    copies ? addCopy(wanted, ends, args) : undefined,
    tool.write !== undefined && !wanted.some(({ access }) => access === "write")
      ? "a tool that writes, without a path to write to"
      : undefined,
    addGlobs(wanted, tool, source),
    findUnknownArg(args, accounted, { search: search && tool.globs?.includes("pattern") !== true }),
  ];
  unknown ??= reasons.find((reason) => reason !== undefined);
  if (unknown === undefined) return { wanted, unknown, from: "table" };
  collectLikelyPaths(wanted, args ?? call.args, accounted);
  return { wanted: [...wanted, ...movedPaths(wanted, args)], unknown, from: "table" };
}

const EXPANDED = /[*?[\]{}()!]/;
const WILD = /\*/;

const accountedBy = new WeakMap<FileTool, ReadonlySet<string>>();

// The arguments that the description of a tool mentions.
function accountedIn(tool: FileTool): ReadonlySet<string> {
  let names = accountedBy.get(tool);
  if (names === undefined) {
    const { read = [], write = [], globs = [], patches = [] } = tool;
    accountedBy.set(tool, (names = new Set([...read, ...write, ...globs, ...patches])));
  }
  return names;
}

function addPatches(wanted: PathRef[], { patches = [] }: FileTool, args: Args): string | undefined {
  let unknown: string | undefined;
  for (const name of patches) {
    for (const text of listOf(own(args, name)))
      unknown = (typeof text === "string" ? addPatch(wanted, text) : UNREAD_PATCH) ?? unknown;
  }
  return unknown;
}

const widens = (args: Args, accounted: ReadonlySet<string>): boolean =>
  Object.entries(args ?? {}).some(
    ([name, value]) => !accounted.has(name) && maySearchMore(name, value),
  );

/** Has the host look for files below the paths that a tool prints. */
function addPrinted(wanted: PathRef[], { globs = [] }: FileTool, args: Args, all: boolean): void {
  const names = globs
    .filter((name) => GLOBS.includes(name))
    .flatMap((name) => listOf(own(args, name)))
    .map(String)
    .filter((glob) => !glob.startsWith("!"));
  for (const [at, ref] of wanted.entries())
    if (typeof ref.text === "string")
      wanted[at] = {
        ...ref,
        found: printedRef({ text: ref.text }, names.length > 0 ? names : undefined, {
          leavesOut: all ? undefined : "ignored",
        }),
      };
}

// Letters, digits and `*`, which every tool reads alike. A brace, class, list or group could mean several paths.
const PLAIN_GLOB = /^[\p{L}\p{N}_.*/@+=%#-]+$/u;

/** Adds globs below the paths. Each adds the shortest name that it matches, so that a rule about that name sees it. */
function addGlobs(
  wanted: PathRef[],
  { globs = [], write }: FileTool,
  { args, call }: PathSource,
): string | undefined {
  const top = call.workspace ?? call.cwd;
  const isInside = (glob: string): boolean => top !== undefined && glob.startsWith(`${top}/`);
  const bases = wanted.flatMap(({ text }) =>
    typeof text === "string" && text !== "" ? [text] : [],
  );
  let unknown: string | undefined;
  for (const name of globs) {
    for (const glob of listOf(own(args, name)).flatMap(alternativesOf)) {
      if (
        typeof glob !== "string" ||
        !PLAIN_GLOB.test(glob) ||
        /(?:^|\/)\.\.(?:\/|$)|(?:^|\/)\.[^/]*\*/.test(glob) ||
        (glob.startsWith("/") && (GLOBS.includes(name) || !isInside(glob)))
      ) {
        unknown ??= `the glob in \`${name}\` may leave its folder, or match unknown names`;
        continue;
      }
      const shortest = glob
        .split("/")
        .filter((segment) => segment !== "" && segment !== "**")
        .join("/");
      const access = write === undefined ? "read" : "both";
      if (glob.startsWith("/")) wanted.push({ text: `/${shortest}`, access });
      else if (shortest !== "" && shortest !== "*")
        for (const base of bases) wanted.push({ text: `${base}/${shortest}`, access });
      if (wanted.length > MAX_PATHS) return unknown;
    }
  }
  return unknown;
}

/** The globs that a glob with braces stands for. None for one that only leaves out files. */
function alternativesOf(glob: Json): readonly Json[] {
  if (typeof glob !== "string") return [glob];
  if (glob.startsWith("!") && PLAIN_GLOB.test(glob.slice(1))) return [];
  try {
    return expand(glob);
  } catch {
    return [glob];
  }
}

/** Adds the destination of a copy, which needs both ends. If the destination is a folder, the source keeps its name in it. */
function addCopy(
  wanted: PathRef[],
  ends: { readonly from: readonly string[]; readonly to: readonly string[] } | undefined,
  args: Args,
): string | undefined {
  if (ends === undefined) return undefined;
  const sources = ends.from.flatMap((name) => listOf(own(args, name)));
  const named = (names: readonly string[]): readonly Json[] =>
    names.flatMap((name) => listOf(own(args, name)));
  const renamed = named(["new_name", "newName"]);
  const targets = [...named(ends.to), ...renamed];
  if (sources.length === 0 || targets.length === 0)
    return "the source or the destination is missing";
  for (const source of sources) {
    if (typeof source !== "string") continue;
    const slash = source.lastIndexOf("/");
    for (const name of renamed)
      wanted.push({ text: `${source.slice(0, slash + 1)}${String(name)}`, access: "write" });
    for (const target of targets) {
      if (typeof target === "string")
        wanted.push({
          text: `${target}/${source.slice(slash + 1)}`,
          access: "write",
          guessed: true,
        });
      if (wanted.length > MAX_PATHS) return undefined;
    }
  }
  return undefined;
}
