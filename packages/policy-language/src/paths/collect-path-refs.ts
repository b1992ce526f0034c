import type { Json } from "@bylaw/kernel";
import type { Effect } from "@bylaw/shell";
import type { LinePart } from "../match/shell-line.ts";
import { readPatch } from "./patch.ts";
import { readFilters, readNames } from "./name-glob.ts";
import { baseName, bareName } from "../compile/program-name.ts";
import {
  COPIES,
  EXPANDS,
  GENERIC_PATHS,
  WORKING_FOLDERS,
  type FileTool,
} from "../compile/tool-table.ts";
import { collectLikelyPaths, findUnknownArg } from "./unknown-args.ts";
import {
  MAX_PATHS,
  collect,
  foundRef,
  printedRef,
  listOf,
  own,
  type Args,
  type FoundRef,
  type PathRef,
  type PathSource,
} from "./path-refs.ts";

/** The texts that a call uses as paths, and the reason if some paths are unknown. */
export interface CollectedPathRefs {
  readonly wanted: readonly PathRef[];
  readonly unknown: string | undefined;
  /** The source of the paths. `table`: a file tool; `shell`: effects of a command; `generic`: arguments that look like paths. */
  readonly from: "table" | "shell" | "generic";
  /** Whether there are more paths than the limit. */
  readonly tooMany?: boolean;
}

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
  if (facts.part !== null) return fromCommand(facts.part, facts.args);
  const wanted: PathRef[] = [];
  const names =
    tool === undefined
      ? GENERIC
      : new Set([...(tool.read ?? []), ...(tool.write ?? []), ...GENERIC]);
  for (const name of names) collect(wanted, own(facts.args, name), "both");
  collectLikelyPaths(wanted, call.args, names);
  return { wanted, unknown: undefined, from: "generic" };
}

function fromTable(name: string, tool: FileTool, { args, call }: PathSource): CollectedPathRefs {
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
    addGlobs(wanted, tool, args),
    findUnknownArg(args, accounted, { search: search && tool.globs?.includes("pattern") !== true }),
  ];
  unknown ??= reasons.find((reason) => reason !== undefined);
  if (unknown !== undefined) collectLikelyPaths(wanted, args ?? call.args, accounted);
  return { wanted, unknown, from: "table" };
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

const UNREAD_PATCH = "a patch whose files are unclear";

function addPatch(wanted: PathRef[], text: string): string | undefined {
  const { paths, maybe, doubtful } = readPatch(text, MAX_PATHS);
  const room = MAX_PATHS + 1 - wanted.length;
  for (const path of paths.slice(0, room)) wanted.push({ text: path, access: "write" });
  for (const path of maybe.slice(0, Math.max(0, room - paths.length)))
    wanted.push({ text: path, access: "write", guessed: true });
  return doubtful || paths.length + maybe.length > room ? UNREAD_PATCH : undefined;
}

// Letters, digits and `*`, which every tool reads alike. A brace, class, list or group could mean several paths.
const PLAIN_GLOB = /^[\p{L}\p{N}_.*/@+=%#-]+$/u;

/** Adds globs below the paths. Each adds the shortest name that it matches, so that a rule about that name sees it. */
function addGlobs(
  wanted: PathRef[],
  { globs = [], write }: FileTool,
  args: Args,
): string | undefined {
  const bases = wanted.flatMap(({ text }) =>
    typeof text === "string" && text !== "" ? [text] : [],
  );
  let unknown: string | undefined;
  for (const name of globs) {
    for (const glob of listOf(own(args, name))) {
      if (
        typeof glob !== "string" ||
        !PLAIN_GLOB.test(glob) ||
        /^\/|(?:^|\/)\.\.(?:\/|$)|(?:^|\/)\.[^/]*\*/.test(glob)
      ) {
        unknown ??= `the glob in \`${name}\` may leave its folder, or match unknown names`;
        continue;
      }
      const shortest = glob
        .split("/")
        .filter((segment) => segment !== "**")
        .join("/");
      if (shortest === "" || shortest === "*") continue;
      for (const base of bases)
        wanted.push({ text: `${base}/${shortest}`, access: write === undefined ? "read" : "both" });
      if (wanted.length > MAX_PATHS) return unknown;
    }
  }
  return unknown;
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

// Agents run it like a program. The input that it may read instead is unknown here.
function addPatchCommand(wanted: PathRef[], words: LinePart["words"]): string | undefined {
  if (!/^apply_?patch$/.test(baseName(words[0]?.text ?? ""))) return undefined;
  const text = words.length === 2 ? words[1]?.text : undefined;
  return text === undefined ? UNREAD_PATCH : addPatch(wanted, text);
}

const MAX_REGIONS = 32;
const MAX_NAMES = 64;

// Preparing and deciding a call both ask for the paths of the same commands.
const pathRefsOf = new WeakMap<LinePart, CollectedPathRefs>();

function fromCommand(part: LinePart, args: Args): CollectedPathRefs {
  const found = pathRefsOf.get(part) ?? fromEffects(part);
  pathRefsOf.set(part, found);
  const folders: string[] = [];
  for (const name of WORKING_FOLDERS) {
    const folder = own(args, name);
    if (typeof folder === "string") folders.push(folder);
  }
  if (folders.length === 0) return found;
  const relative = found.wanted.filter(
    ({ text, remote }) => remote !== true && typeof text === "string" && !/^[/~]/.test(text),
  );
  const guesses = folders.flatMap((folder) =>
    relative.map((one) => ({ ...one, text: `${folder}/${String(one.text)}`, guessed: true })),
  );
  return { ...found, wanted: [...found.wanted, ...guesses] };
}

function fromEffects({ effects, remote, words, named }: LinePart): CollectedPathRefs {
  const wanted: PathRef[] = [];
  let unknown = remote ? undefined : addPatchCommand(wanted, words);
  let regions = 0;
  for (const effect of effects) {
    if (!("path" in effect)) continue;
    const { path, kind, below, only, follows, visible = false, exact = false, needs } = effect;
    const access = kind === "read" || kind === "execute" ? "read" : "write";
    if (path.text === undefined) {
      // A file on another machine is not covered by rules about files here.
      if (!remote) unknown ??= path.why;
      continue;
    }
    if (wanted.length > MAX_PATHS) break;
    const { pattern, globbed = false, splits, namesOf } = path;
    let region: PathRef["region"];
    if (pattern !== undefined || below === true) {
      const names = pattern === undefined ? undefined : readNames(path.text, pattern);
      regions += 1;
      if (!remote && names?.some((name) => name !== "**" && name.climbs === true) === true) {
        unknown ??= "a glob may match the parent folder";
      }
      if (regions <= MAX_REGIONS && Math.max(names?.length ?? 0, only?.length ?? 0) <= MAX_NAMES)
        region = {
          names,
          below: below === true && names !== undefined,
          visible,
          globbed,
          ...(only === undefined ? {} : { only: readFilters(only) }),
        };
      else unknown ??= "the command has too many globs and folders";
    }
    // A program run by its path in a system folder counts as the program, and not as a file that an allow must list.
    const own =
      kind === "execute" &&
      pattern === undefined &&
      path.text === words[0]?.text &&
      bareName(path.text) !== path.text;
    wanted.push({
      text: path.text,
      access,
      executes: kind === "execute",
      guessed: own && !remote,
      region,
      deletesBelow:
        access === "write" &&
        region !== undefined &&
        !(region.names ?? only) &&
        named.names.has("delete-below"),
      follows,
      pattern: region === undefined || effect.found !== undefined ? undefined : pattern,
      ...{ namesOf, splits, exact, remote },
      found: remote ? undefined : filesOf(effect, path),
      needs: pattern === undefined ? needs : undefined,
    });
  }
  return { wanted, unknown, from: "shell" };
}

function filesOf(
  { only, found, prints, except = [] }: Extract<Effect, { readonly path: unknown }>,
  path: { readonly text: string; readonly pattern?: string },
): FoundRef | undefined {
  if (found !== undefined) return foundRef(path, only, found);
  return prints === true ? printedRef(path, only, except) : undefined;
}
