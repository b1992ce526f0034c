import { tidy } from "./written.ts";

/** A path as its names. */
export interface Path {
  /** Without `.` and `..`; of a relative path only what stands behind the last `..`. In small letters. */
  readonly names: readonly string[];
  /** The same as they are written. */
  readonly written: readonly string[];
  readonly rooted: boolean;
  /** With every `..`, in small letters; empty where there is none. */
  readonly raw: readonly string[];
}

/** Reads a path. */
export function pathOf(path: string): Path {
  const rooted = path.startsWith("/") || path.startsWith("~");
  const parts = tidy(path)
    .split("/")
    .filter((name) => name !== "");
  const written = parts.slice(parts.lastIndexOf("..") + 1);
  const raw = path.includes("..")
    ? path
        .toLowerCase()
        .split("/")
        .filter((name) => name !== "" && name !== ".")
    : [];
  return { names: written.map((name) => name.toLowerCase()), written, rooted, raw };
}

/** A path that leads elsewhere. */
type Way = Pick<Path, "names" | "rooted">;

/** Whether a path goes by one that leads elsewhere, and up again. */
export function climbs({ raw }: Path, { names }: Way): boolean {
  const last = raw.lastIndexOf("..");
  for (let from = 0; from + names.length <= last; from += 1) if (same(raw, from, names, 0, names.length)) return true;
  return false;
}

/** What of a path lies behind one that leads elsewhere, with a slash before it; undefined where it does not go there. */
export function behind({ names: parts, written, rooted }: Path, { names, rooted: fromRoot }: Way): string | undefined {
  const rest = (from: number): string =>
    written
      .slice(from)
      .map((name) => `/${name}`)
      .join("");
  if (rooted === fromRoot) return same(parts, 0, names, 0, names.length) ? rest(names.length) : undefined;
  // Nobody knows here which folder the line starts in: one may lie where the other does.
  if (rooted) {
    for (let from = 0; from + names.length <= parts.length; from += 1)
      if (same(parts, from, names, 0, names.length)) return rest(from + names.length);
    return undefined;
  }
  for (let count = Math.min(names.length, parts.length); count > 0; count -= 1)
    if (same(parts, 0, names, names.length - count, count)) return rest(count);
  return undefined;
}

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
export function found(pattern: string | undefined, { names, rooted, within }: Way & { readonly within: boolean }): number {
  if (pattern === undefined) return 0;
  const globs = globsOf(pattern);
  const fromRoot = pattern.startsWith("/") || pattern.startsWith("~");
  let places = new Set(fromRoot === rooted || fromRoot ? [0] : names.keys());
  for (let at = 0; ; at += 1) {
    if (places.has(names.length)) {
      const behind = globs.length - at;
      // A walk through folders finds links, and goes behind none.
      if (behind > 0 || !within) return globs.includes(ANY) ? 1 : behind + 1;
    }
    const glob = globs[at];
    if (glob === undefined) return 0;
    const next = new Set<number>(fromRoot && !rooted ? [0] : []);
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
function globsOf(pattern: string): readonly (readonly string[])[] {
  const names = pattern
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "" && name !== ".");
  return names.slice(names.lastIndexOf("..") + 1).map((name) => {
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
