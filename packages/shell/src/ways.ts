/** A path as its names. */
export interface Path {
  /** Where it starts: `/`, `~` or `~name`; empty where that is the folder of the line. */
  readonly base: string;
  /** How many folders above that its names stand. */
  readonly ups: number;
  /** Without `.` and `..`, in small letters. */
  readonly names: readonly string[];
  /** The same as they are written. */
  readonly written: readonly string[];
  /** With every `..`, in small letters; empty where there is none. */
  readonly raw: readonly string[];
  /** What stands before each `..` that leaves a name; undefined where these are more than are looked at. */
  readonly left: readonly Path[] | undefined;
}

/** A path that leads elsewhere. */
export type Way = Pick<Path, "base" | "ups" | "names"> & {
  /** It is a folder, and what is put into it may lead elsewhere. */
  readonly within: boolean;
  /** The same, or it may be such a folder. */
  readonly deep: boolean;
  /** It is told from a folder above, which `cd` got to by names and not by links. */
  readonly moved: boolean;
};

/** What of a path lies behind one that leads elsewhere, with a slash before it. */
export interface Rest {
  readonly text: string;
  /** It is known what lies behind it. */
  readonly known: boolean;
}

const NONE: readonly never[] = [];
// As many are looked at of one path.
const MOST = 16;

/** Reads a path. */
export function pathOf(path: string): Path {
  const { base, ups, names: written, left } = partsOf(path);
  const raw = path.includes("..")
    ? path
        .toLowerCase()
        .split("/")
        .filter((name) => name !== "" && name !== ".")
    : NONE;
  return { base, ups, names: small(written), written, raw, left };
}

const small = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());

function partsOf(path: string): Pick<Path, "base" | "ups" | "names" | "left"> {
  const parts = path.split("/").filter((name) => name !== "" && name !== ".");
  const base = path.startsWith("/") ? "/" : path.startsWith("~") ? (parts.shift() ?? "") : "";
  const names: string[] = [];
  const left: Path[] = [];
  let ups = 0;
  let before = "..";
  for (const part of parts) {
    if (part !== "..") names.push(part);
    else if (names.length > 0) {
      if (before !== ".." && left.length <= MOST) left.push({ base, ups, names: small(names), written: [...names], raw: NONE, left: NONE });
      names.pop();
    } else if (base !== "/") ups++;
    before = part;
  }
  return { base, ups, names, left: left.length > MOST ? undefined : left };
}

/** Whether a path goes by one that leads elsewhere, and up again. */
export function climbs({ raw, left }: Path, way: Way): boolean {
  const { names } = way;
  const last = raw.lastIndexOf("..");
  for (let from = 0; from + names.length <= last; from += 1) if (same(raw, from, names, 0, names.length)) return true;
  return left?.some((path) => behind(path, way).some(({ text }) => text !== "" || !way.within)) ?? true;
}

/** What of a path lies behind one that leads elsewhere: nothing where it does not go there, and several where it may in several ways. */
export function behind(path: Path, way: Way): readonly Rest[] {
  const { names: parts, written } = path;
  const { names } = way;
  const rest = (from: number, known = true): Rest => ({
    text: written
      .slice(from)
      .map((name) => `/${name}`)
      .join(""),
    known,
  });
  if (isExact(path, way)) return same(parts, 0, names, 0, names.length) ? [rest(names.length)] : NONE;
  // Nobody knows here what the folders are called that one starts below and the other does not: each of its names may be one of them.
  const rests: Rest[] = [];
  if (path.names.length > 0 && mayHold(path, way)) rests.push(rest(0, false));
  if (names.length === 0) return rests.length > 0 ? rests : [rest(0, false)];
  if (mayReach(path, way))
    for (let from = 0; from + names.length <= parts.length && rests.length <= MOST; from += 1)
      if (same(parts, from, names, 0, names.length)) rests.push(rest(from + names.length, rests.length < MOST));
  if (mayStartIn(path, way))
    for (let count = Math.min(names.length, parts.length); count > 0 && rests.length <= MOST; count -= 1)
      if (same(parts, 0, names, names.length - count, count)) rests.push(rest(count, rests.length < MOST));
  return rests;
}

type Start = Pick<Path, "base" | "ups">;

// Whether both start in the same folder, or each in one that is known.
const isExact = (one: Start, other: Start): boolean => one.base === other.base && one.ups === 0 && other.ups === 0;

// Whether a path may start above one that leads elsewhere, and name the folders between.
const mayReach = (path: Start, way: Way): boolean => (path.base === way.base ? path.ups >= way.ups : way.base !== "/");

// Whether it may start in one of the folders that the other names.
const mayStartIn = (path: Start, way: Way): boolean => way.moved || (path.base === way.base ? path.ups < way.ups : path.base !== "/");

// Whether the folder that the names of a path stand in may be, or lie in, one whose contents may lead elsewhere.
const mayHold = (path: Start, { base, ups, names, deep, moved }: Way): boolean =>
  deep && base === path.base && ups > path.ups && (moved || names.length <= ups - path.ups);

// Whether so many names of a list, from a place on, are those of another, from a place on.
function same(list: readonly string[], from: number, other: readonly string[], at: number, count: number): boolean {
  if (from + count > list.length) return false;
  for (let index = 0; index < count; index += 1) if (list[from + index] !== other[at + index]) return false;
  return true;
}

/**
 * How many names of a glob go by what leads elsewhere: 1 for the one that finds it, and one more for each behind it; 0 where it finds
 * none of it.
 */
export function found(pattern: string | undefined, way: Way): number {
  if (pattern === undefined) return 0;
  const { names, within } = way;
  const start = partsOf(pattern);
  const globs = globsOf(start.names);
  const exact = isExact(start, way);
  let places = new Set(exact || !mayStartIn(start, way) ? [0] : [0, ...names.keys()]);
  if (mayHold(start, way)) places.add(names.length);
  for (let at = 0; ; at += 1) {
    if (places.has(names.length)) {
      const behind = globs.length - at;
      // A walk through folders finds links, and goes behind none.
      if (behind > 0 || !within) return globs.includes(ANY) ? 1 : behind + 1;
    }
    const glob = globs[at];
    if (glob === undefined) return 0;
    const next = new Set<number>(exact || !mayReach(start, way) ? [] : [0]);
    for (const place of places) {
      const name = names[place];
      if (glob === ANY) for (let to = place; to <= names.length; to += 1) next.add(to);
      else if (name !== undefined && matches(glob, name)) next.add(place + 1);
    }
    places = next;
  }
}

const ANY: readonly string[] = [];

// The literal parts of each name of a glob, between its `*`.
function globsOf(names: readonly string[]): readonly (readonly string[])[] {
  return small(names).map((name) => {
    if (name === "**") return ANY;
    const parts = [""];
    for (const [sign] of name.matchAll(/\\[^]|[^]/g)) {
      if (sign === "*") parts.push("");
      else parts[parts.length - 1] += sign.length > 1 ? sign.slice(1) : sign;
    }
    return parts;
  });
}

function matches([first = "", ...rest]: readonly string[], name: string): boolean {
  const last = rest.pop();
  if (last === undefined) return first === name;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const from = name.indexOf(part, at);
    if (from < 0) return false;
    at = from + part.length;
  }
  return at + last.length <= name.length;
}
