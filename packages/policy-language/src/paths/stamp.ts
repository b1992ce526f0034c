import { isJsonObject, type Json, type JsonObject, type ToolCall } from "@bylaw/kernel";
import { questionKey, type PathRef, type Question } from "./path-refs.ts";

/** What the host found in the file system before it asked. */
export interface Stamp {
  readonly paths: ReadonlyMap<string, readonly string[]> | undefined;
  /** What each glob finds through links. */
  readonly globs: Found;
  /** The globs whose matches the host could not list. */
  readonly unread: ReadonlySet<string>;
  /** Everything that each glob of a shell finds. */
  readonly matches: Found;
  /** Names with a leading dot that a glob of a shell finds only with an option set. */
  readonly hidden: Found;
}

type Found = ReadonlyMap<string, readonly (readonly string[])[]>;

// A line of a thousand commands reads the same stamp a thousand times.
const stamps = new WeakMap<object, Stamp>();

/** Reads what the host resolved before it asked. */
export function stampOf({ facts }: ToolCall, name: string): Stamp | undefined {
  const stamp = facts?.[name] ?? null;
  if (!isJsonObject(stamp)) return undefined;
  const known = stamps.get(stamp);
  if (known !== undefined) return known;
  const read = { paths: stampedPaths(stamp), ...stampedGlobs(stamp) };
  stamps.set(stamp, read);
  return read;
}

/** The top folder of the repository, if the host says which it is. */
export function topOf({ facts }: ToolCall, name: string): string | undefined {
  const stamp = facts?.[name] ?? null;
  return isJsonObject(stamp) && typeof stamp["top"] === "string" ? stamp["top"] : undefined;
}

/** Whether the host answered yes to a question about a path. */
export const saysYes = (stamp: Stamp | undefined, text: string, question: Question): boolean =>
  stamp?.globs.has(questionKey(text, question)) === true;

/** Whether there is no link below a path that the command could follow, and no command before or beside it may make one. */
export const isUnlinked = (
  stamp: Stamp | undefined,
  { text, found, exact, region }: PathRef,
): boolean =>
  found?.denied === true &&
  exact === true &&
  region?.names === undefined &&
  saysYes(stamp, String(text), "unlinked");

/** Whether the host has looked for files that a deny is about, and the command touches nothing else. */
export const hasLooked = (stamp: Stamp | undefined, { found, exact }: PathRef): boolean =>
  found?.denied === true && exact === true && stamp?.globs.has(found.key) === true;

// A list of [text, real path, other names …]. Only the text if the path cannot be resolved.
function stampedPaths({ paths: list }: JsonObject): Stamp["paths"] {
  if (!Array.isArray(list)) return undefined;
  const map = new Map<string, readonly string[]>();
  for (const entry of list as readonly Json[]) {
    const [text, ...places] = entry as readonly string[];
    if (text !== undefined) map.set(text, places);
  }
  return map;
}

function stampedGlobs({ globs: list }: JsonObject): Omit<Stamp, "paths"> {
  const globs = new Map<string, readonly (readonly string[])[]>();
  const matches: typeof globs = new Map();
  const hidden: typeof globs = new Map();
  const unread = new Set<string>();
  if (!Array.isArray(list)) return { globs, matches, hidden, unread };
  for (const stamped of list as unknown as readonly StampedGlob[]) {
    const { pattern, places, matches: all } = stamped;
    if (places === undefined) unread.add(pattern);
    // Two versions of a policy may ask about different files of a folder.
    else globs.set(pattern, [...(globs.get(pattern) ?? []), ...places]);
    if (all !== undefined) matches.set(pattern, all);
    if (stamped.hidden !== undefined) hidden.set(pattern, stamped.hidden);
  }
  // What one version could not read is not known from what the other found.
  for (const pattern of unread) globs.delete(pattern);
  return { globs, matches, hidden, unread };
}

interface StampedGlob {
  readonly pattern: string;
  /** The paths that it finds through links. Missing if a folder cannot be read. */
  readonly places?: readonly (readonly string[])[];
  /** Everything that the shell finds for it. Missing if a program may get something else. */
  readonly matches?: readonly (readonly string[])[];
  /** What the shell finds for it only with an option set. */
  readonly hidden?: readonly (readonly string[])[];
}
