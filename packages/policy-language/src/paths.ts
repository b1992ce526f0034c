import { isJsonObject, type Json, type ToolCall } from "@bylaw/kernel";
import type { CallFacts } from "./facts.ts";
import type { Region } from "./path-meet.ts";
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
  /** It lies on another machine or in a container: all of its places are in the region, and an allow covers none. */
  readonly remote?: boolean;
}

/** The places that a call names, as far as they can be known. */
export interface PathFacts {
  readonly known: readonly PathFact[];
  /** Why at least one place cannot be known; never allowed. */
  readonly unknown: string | undefined;
  readonly from: WantedPaths["from"];
  /** The call is about all that lies below its places. */
  readonly recursive: boolean;
  readonly workspace: readonly string[] | undefined;
  readonly home: readonly string[] | undefined;
}

/** The name under which the plugin stamps real paths on a call. */
export const PATHS_PLUGIN = "@bylaw/plugin-policy";

const MAX_PATH = 4096;

/** The texts of a call that can be read as a path. */
export function knownTexts(facts: CallFacts): readonly string[] {
  const texts = (facts.line === null ? [facts] : facts.commands).flatMap((one) => {
    const { wanted, tooMany } = wantedPaths(one);
    return tooMany === true ? [] : wanted.filter(({ remote }) => remote !== true).map(({ text }) => text);
  });
  const known = texts.filter((text): text is string => unknownPath(text, facts.call) === undefined);
  return [...new Set(known)];
}

/** Why a text cannot be read as a path, or nothing. */
function unknownPath(text: Json | undefined, call: Pick<ToolCall, "cwd" | "home">): string | undefined {
  if (typeof text !== "string") return "a path that is not text";
  if (text === "") return "an empty path";
  if (text.length > MAX_PATH) return `a path of more than ${MAX_PATH} characters`;
  if (/[\u0000-\u001f\u007f]/.test(text)) return "a control character in a path";
  if (text.includes("\\")) return "a backslash in a path";
  if (/\$[A-Za-z_{(]|`/.test(text)) return "a variable in a path";
  if (/^~[^/]/.test(text)) return "the home of another user";
  if (text.startsWith("~") && call.home === undefined) return "a path in an unknown home";
  if (!/^[/~]/.test(text) && call.cwd === undefined) return "a relative path without a working directory";
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return "a URL for a path";
  return undefined;
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

const folder = (path: string | undefined): readonly string[] | undefined => (path?.startsWith("/") === true ? segmentsOf(path) : undefined);

/** Works out the places of one call. */
export function pathFacts(facts: CallFacts): PathFacts {
  const { call } = facts;
  const { wanted, from, unknown: first } = wantedPaths(facts);
  const stamped = stampedPaths(call);
  let unknown = first;
  const known: PathFact[] = [];
  for (const { text, access, guess, region, remote } of wanted) {
    const why = unknownPath(text, call);
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
    const within = region === undefined ? {} : { region: { folders: [...places, ...aliases], names: region.names } };
    if (guess === true) {
      known.push({ access, places: [], aliases: [...places, ...aliases], ...within });
      continue;
    }
    if (places.some((place) => isProcAlias(place))) unknown ??= "a path through /proc";
    known.push({ access, places, aliases, ...within });
  }
  return {
    known,
    unknown,
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

// What the plugin's preparation found: a list of [text, real path, other names …]; the text alone where nothing can be known.
function stampedPaths({ facts }: ToolCall): ReadonlyMap<string, readonly string[]> | undefined {
  const stamp = facts?.[PATHS_PLUGIN];
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
