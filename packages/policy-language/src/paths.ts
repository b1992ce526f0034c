import { isJsonObject, type Json, type ToolCall } from "@bylaw/kernel";
import type { CallFacts } from "./facts.ts";
import type { Region, Segment } from "./path-meet.ts";
import { RECURSIVE } from "./tools.ts";
import type { Access } from "./wanted.ts";
import { wantedPaths, type WantedPaths } from "./wanted-paths.ts";

/** One place that a call names. */
interface PathFact {
  readonly access: Access;
  /** All that the path may be: as it is written, and with links resolved. Absolute, in segments. None where it is a guess. */
  readonly places: readonly (readonly string[])[];
  /** For a deny only: where it lies when the workspace itself is behind a link; all of a guess. */
  readonly aliases: readonly (readonly string[])[];
  /** What is meant lies below the places. */
  readonly region?: Region;
  /** A command goes where links below it lead, so that an allow cannot cover it. */
  readonly follows?: boolean;
  /** It lies on another machine or in a container: all of its places are in the region, and an allow covers none. */
  readonly remote?: boolean;
}

/** The places that a call names, as far as they can be known. */
export interface PathFacts {
  readonly known: readonly PathFact[];
  /** Why at least one place cannot be known; never allowed. */
  readonly unknown: string | undefined;
  /** Some path has a second reading that only a lax tool would take; never allowed. */
  readonly doubtful: boolean;
  readonly from: WantedPaths["from"];
  /** The call is about all that lies below its places. */
  readonly recursive: boolean;
  readonly workspace: readonly string[] | undefined;
  readonly home: readonly string[] | undefined;
}

const MAX_PATH = 4096;

/** The texts of a call that can be read as a path. */
export function knownTexts(facts: CallFacts): readonly string[] {
  const texts = facts.heard.flatMap((one) => {
    const { wanted, tooMany } = wantedPaths(one);
    return tooMany === true ? [] : wanted.filter(({ remote }) => remote !== true).map(({ text }) => text);
  });
  const known = texts.filter((text): text is string => unknownPath(text, facts.call) === undefined);
  return [...new Set(known)];
}

/** A glob of a command that can be looked up in the folders. */
export interface CommandGlob {
  readonly pattern: string;
  /** The folder, as {@link absolutePath} reads it. */
  readonly folder: string;
  readonly names: readonly Segment[];
}

/** The globs of a call's commands. */
export function knownGlobs(facts: CallFacts): readonly CommandGlob[] {
  const globs = new Map<string, CommandGlob>();
  for (const one of facts.line === null ? [] : facts.heard) {
    for (const { text, pattern, region, remote } of wantedPaths(one).wanted) {
      if (pattern === undefined || region?.names === undefined || remote === true || typeof text !== "string") continue;
      if (unknownPath(text, facts.call) === undefined) globs.set(pattern, { pattern, folder: text, names: region.names });
    }
  }
  return [...globs.values()];
}

/** Why a text cannot be read as a path, or nothing. */
function unknownPath(text: Json | undefined, call: Pick<ToolCall, "cwd" | "home">): string | undefined {
  if (typeof text !== "string") return "a path that is not text";
  if (text === "") return "an empty path";
  if (text.length > MAX_PATH) return `a path of more than ${MAX_PATH} characters`;
  if (/[\u0000-\u001f\u007f]/.test(text)) return "a control character in a path";
  if (text.includes("\\")) return "a backslash in a path";
  if (/\$[A-Z_{(]|`/.test(text)) return "a variable in a path";
  if (/^~[^/]/.test(text)) return "the home of another user";
  if (text.startsWith("~") && call.home === undefined) return "a path in an unknown home";
  if (!/^[/~]/.test(text) && call.cwd === undefined) return "a relative path without a working directory";
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return "a URL for a path";
  return undefined;
}

// Text that a lax tool or another file system reads as another name than the one that is written.
function otherName(text: string): string | undefined {
  if (/^file:/i.test(text)) return "a URL for a path";
  if (/^[a-z]:[/]/i.test(text)) return "a drive letter in a path";
  if (text.trim() !== text) return "a path with a blank around it";
  if (!/[^\u0000-\u007f]/.test(text)) return undefined;
  const plain = text.normalize("NFKC");
  const climbs = (path: string): number => path.split(/[/\\]/).filter((part) => /^\.\.?$/.test(part)).length;
  const parts = (path: string): number => path.split(/[/\\]/).length;
  return climbs(plain) !== climbs(text) || parts(plain) !== parts(text) ? "a path with look-alikes of dots or slashes" : undefined;
}

const HIDDEN = /%(?:25)*(?:2e|2f|5c)/i;

// What some file systems take for the same name: without dots and blanks at the end of a name, and without a stream.
function trimmed(place: readonly string[]): readonly string[] | undefined {
  const names = place.map((name) => name.replace(/(?<=.):.*$/s, "").replace(/(?<=[^.\s])[.\s]+$/, ""));
  return names.some((name, at) => name !== place[at]) ? names : undefined;
}

/** The absolute text of a path that is not unknown, with its `..` still in it. */
export function absolutePath(text: string, call: Pick<ToolCall, "cwd" | "home">): string {
  if (text.startsWith("/")) return text;
  if (text.startsWith("~")) return `${call.home ?? ""}${text.slice(1)}`;
  return `${call.cwd ?? ""}/${text}`;
}

/** An absolute path in segments, without `.`, `..` and doubled slashes. */
export function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") segments.pop();
    else if (part !== "" && part !== ".") segments.push(part);
  }
  return segments;
}

/** Whether a text names the very folder that a call works in. */
export function sameFolder(text: Json, call: Pick<ToolCall, "cwd" | "home">): boolean {
  if (typeof text !== "string" || call.cwd === undefined || text.includes("..") || unknownPath(text, call) !== undefined) return false;
  return segmentsOf(absolutePath(text, call)).join("/") === segmentsOf(call.cwd).join("/");
}

// One call is asked about several times, by each that has rules about paths.
let last: { readonly path: string; readonly segments: readonly string[] } = { path: "/", segments: [] };

function folder(path: string | undefined): readonly string[] | undefined {
  if (path?.startsWith("/") !== true) return undefined;
  if (last.path !== path) last = { path, segments: Object.freeze(segmentsOf(path)) };
  return last.segments;
}

/** Works out the places of one call. */
export function pathFacts(facts: CallFacts): PathFacts {
  const { call, pathsFact } = facts;
  const { wanted, from, unknown: first } = wantedPaths(facts);
  const stamped = stampedPaths(call, pathsFact);
  const globs = stampedGlobs(call, pathsFact);
  const byTool = from !== "shell";
  let unknown = first;
  let doubtful = false;
  const known: PathFact[] = [];
  for (const { text, access, guess, region, pattern, remote, follows } of wanted) {
    const why = unknownPath(text, call) ?? (byTool && guess !== true && typeof text === "string" ? otherName(text) : undefined);
    if (why !== undefined || typeof text !== "string") {
      if (guess !== true && remote !== true) unknown ??= why;
      continue;
    }
    const places = [segmentsOf(absolutePath(text, call))];
    if (remote === true) {
      known.push({ access, places: [], aliases: [], region: { folders: places, names: region === undefined ? [] : region.names }, remote });
      continue;
    }
    const aliases: (readonly string[])[] = [];
    const stamp = stamped?.get(text);
    if (stamp !== undefined) {
      const [at, ...others] = stamp;
      if (at !== undefined) places.push(segmentsOf(at));
      else if (guess !== true) unknown ??= "a path that cannot be resolved";
      for (const other of others) aliases.push(segmentsOf(other));
    }
    if (byTool) {
      if (guess !== true) doubtful ||= HIDDEN.test(text);
      for (const place of [...places, ...aliases]) {
        const other = trimmed(place);
        if (other !== undefined) aliases.push(other);
      }
    }
    const within = region === undefined ? {} : { region: { ...region, folders: [...places, ...aliases] } };
    if (guess === true) {
      known.push({ access, places: [], aliases: [...places, ...aliases], ...within });
      continue;
    }
    if (pattern !== undefined && globs !== undefined) {
      // What the glob finds by way of a link; the rest lies below its folder.
      const found = globs.get(pattern);
      if (found === undefined) unknown ??= "glob whose folders cannot be looked through";
      for (const [at, ...others] of found ?? []) {
        if (at !== undefined) places.push(segmentsOf(at));
        for (const other of others) aliases.push(segmentsOf(other));
      }
    }
    if (places.some((place) => isProcAlias(place))) unknown ??= "a path through /proc";
    known.push({ access, places, aliases, ...within, ...(follows === true ? { follows } : {}) });
  }
  return {
    known,
    unknown,
    doubtful,
    from,
    recursive: from === "table" && isRecursive(facts),
    workspace: folder(call.workspace ?? call.cwd),
    home: folder(call.home),
  };
}

function isRecursive({ identity, args, tools }: CallFacts): boolean {
  const kind = RECURSIVE.get(identity.bare);
  if (kind !== "asked") return kind === "always" || tools.files.get(identity.bare)?.cwd === true;
  return ["recursive", "depth", "max_depth", "maxDepth"].some((name) => args?.[name] !== undefined && args[name] !== false);
}

function isProcAlias([first, , third]: readonly string[]): boolean {
  return first === "proc" && (third === "root" || third === "cwd" || third === "fd" || third === "task" || third === "map_files");
}

// What the host found before it asked: a list of [text, real path, other names …]; the text alone where nothing can be known.
function stampedPaths({ facts }: ToolCall, name: string): ReadonlyMap<string, readonly string[]> | undefined {
  const stamp = facts?.[name];
  if (!isJsonObject(stamp ?? null)) return undefined;
  const list = (stamp as { readonly paths?: Json }).paths;
  if (!Array.isArray(list)) return undefined;
  const map = new Map<string, readonly string[]>();
  for (const entry of list as readonly Json[]) {
    const [text, ...places] = entry as readonly string[];
    if (text !== undefined) map.set(text, places);
  }
  return map;
}

// The same for globs: each `{ pattern, places }` with what it finds by way of links, or without `places` where that is not known.
function stampedGlobs({ facts }: ToolCall, name: string): ReadonlyMap<string, readonly (readonly string[])[]> | undefined {
  const stamp = facts?.[name];
  if (!isJsonObject(stamp ?? null)) return undefined;
  const { globs } = stamp as { readonly globs?: Json };
  const map = new Map<string, readonly (readonly string[])[]>();
  if (!Array.isArray(globs)) return map;
  for (const { pattern, places } of globs as unknown as readonly { pattern: string; places?: readonly (readonly string[])[] }[]) {
    if (places !== undefined) map.set(pattern, places);
  }
  return map;
}
