import { isJsonObject, type Json, type ToolCall } from "@bylaw/kernel";
import type { CallFacts } from "./facts.ts";
import { GENERIC_PATHS, type FileTool } from "./tools.ts";

type Access = "read" | "write" | "both";

/** One place that a call names. */
interface PathFact {
  readonly access: Access;
  /** All that the path may be: as it is written, and with links resolved. Absolute, in segments. */
  readonly places: readonly (readonly string[])[];
  /** Further names of the same place, for a deny only: where it lies when the workspace itself is behind a link. */
  readonly aliases: readonly (readonly string[])[];
}

/** The places that a call names, as far as they can be known. */
export interface PathFacts {
  readonly known: readonly PathFact[];
  /** Why at least one place cannot be known; never allowed. */
  readonly unknown: string | undefined;
  /** `table`: a file tool; `shell`: words of a line; `generic`: arguments that look like paths. */
  readonly from: "table" | "shell" | "generic";
  readonly workspace: readonly string[] | undefined;
  readonly home: readonly string[] | undefined;
}

/** The name under which the plugin stamps real paths on a call. */
export const PATHS_PLUGIN = "@bylaw/plugin-policy";

const MAX_PATH = 4096;

interface Wanted {
  readonly text: Json | undefined;
  readonly access: Access;
}

/** The texts that a call names as paths, with the reason why some of them cannot be read as one. */
function wantedPaths(facts: CallFacts): {
  readonly wanted: readonly Wanted[];
  readonly unknown: string | undefined;
  readonly from: PathFacts["from"];
} {
  const entry = facts.identity.kind === "local" ? facts.tools.files.get(facts.identity.bare) : undefined;
  if (entry !== undefined) return fromTable(entry, facts.args);
  if (facts.command !== null) return fromLine(facts.command.reading);
  const wanted: Wanted[] = [];
  const tool = facts.tools.files.get(facts.identity.bare);
  const names = tool === undefined ? GENERIC_PATHS : [...(tool.read ?? []), ...(tool.write ?? []), ...GENERIC_PATHS];
  for (const name of new Set(names)) collect(wanted, own(facts.args, name), "both");
  return { wanted, unknown: undefined, from: "generic" };
}

function fromTable(entry: FileTool, args: CallFacts["args"]): ReturnType<typeof wantedPaths> {
  const wanted: Wanted[] = [];
  for (const name of entry.read ?? []) collect(wanted, own(args, name), "read");
  for (const name of entry.write ?? []) collect(wanted, own(args, name), "write");
  let unknown = args === undefined ? "arguments without names" : undefined;
  for (const name of entry.globs ?? []) {
    for (const glob of listOf(own(args, name))) {
      if (typeof glob !== "string" || /^[/~]|(^|\/)\.\.(\/|$)|[\\\u0000-\u001f\u007f$]/.test(glob)) {
        unknown ??= `a glob in \`${name}\` that may leave its folder`;
      }
    }
  }
  if (wanted.length === 0) {
    if (entry.cwd === true) wanted.push({ text: ".", access: "read" });
    else unknown ??= "a file tool without a path";
  }
  return { wanted, unknown, from: "table" };
}

const DATA_ONLY: ReadonlySet<string> = new Set(["echo", "printf", "true", "false", ":", "which", "type", "man", "whoami", "id"]);

function fromLine(reading: NonNullable<CallFacts["command"]>["reading"]): ReturnType<typeof wantedPaths> {
  const { argv } = reading;
  if (argv === undefined) return { wanted: [], unknown: "a shell line that is not one simple command", from: "shell" };
  const wanted: Wanted[] = [];
  let unknown = "unknown" in reading ? reading.unknown : undefined;
  const program = (argv[0] ?? "").replace(/^.*\//, "");
  if (DATA_ONLY.has(program)) return { wanted, unknown, from: "shell" };
  let ended = false;
  for (const word of argv.slice(1)) {
    if (ended || !/^-./.test(word)) {
      wanted.push({ text: word, access: "both" });
      // `if=file`, `--file=x` and the like name their file after the sign.
      const sign = word.indexOf("=");
      if (sign >= 0) wanted.push({ text: word.slice(sign + 1), access: "both" });
    } else if (word === "--") ended = true;
    else if (!/^(-[A-Za-z0-9]+|--[a-z0-9-]+)$/.test(word)) {
      unknown ??= "a value inside an option";
      const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : word.slice(2);
      if (value !== "") wanted.push({ text: value, access: "both" });
    }
  }
  if (wanted.length === 0) wanted.push({ text: ".", access: "both" });
  return { wanted, unknown, from: "shell" };
}

function own(args: CallFacts["args"], name: string): Json | undefined {
  return args !== undefined && Object.hasOwn(args, name) ? args[name] : undefined;
}

const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value as Json];

function collect(wanted: Wanted[], value: Json | undefined, access: Access): void {
  for (const text of listOf(value)) wanted.push({ text, access });
}

/** The texts of a call that can be read as a path. */
export function knownTexts(facts: CallFacts): readonly string[] {
  const texts = wantedPaths(facts).wanted.map(({ text }) => text);
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

const folder = (path: string | undefined): readonly string[] | undefined => (path?.startsWith("/") === true ? segmentsOf(path) : undefined);

/** Works out the places of one call. */
export function pathFacts(facts: CallFacts): PathFacts {
  const { call } = facts;
  const { wanted, from, unknown: first } = wantedPaths(facts);
  const stamped = stampedPaths(call);
  let unknown = first;
  const known: PathFact[] = [];
  for (const { text, access } of wanted) {
    const why = unknownPath(text, call);
    if (why !== undefined || typeof text !== "string") {
      unknown ??= why;
      continue;
    }
    const places = [segmentsOf(absolutePath(text, call))];
    const aliases: (readonly string[])[] = [];
    const stamp = stamped?.get(text);
    if (stamp !== undefined) {
      const [at, ...others] = stamp;
      if (at === undefined) unknown ??= "a path that cannot be resolved";
      else places.push(segmentsOf(at));
      for (const other of others) aliases.push(segmentsOf(other));
    }
    if (places.some((place) => isProcAlias(place))) unknown ??= "a path through /proc";
    known.push({ access, places, aliases });
  }
  return { known, unknown, from, workspace: folder(call.workspace ?? call.cwd), home: folder(call.home) };
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
