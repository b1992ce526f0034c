import { ANY } from "./path-glob.ts";
import type { CommandGlob } from "./call-paths.ts";
import { mayName, type Segment } from "./name-glob.ts";
import type { GlobLookup } from "./real-globs.ts";

const MAX_MATCHES = 250;

/** The files and folders that a shell's glob finds now. */
interface PlainMatches {
  readonly found: readonly string[];
  /** Those with a leading dot that was not written, which shells find only with an option set. */
  readonly hidden: readonly string[];
}

/**
 * What a shell's glob finds now. Undefined if there is too much, or nothing: then the program gets the glob itself. Also undefined if
 * something is a link, or if a program may read a name as an option, a file of options, a host, an assignment or another glob.
 * A glob that ends in a slash finds folders only.
 */
export function plainMatches(
  folder: string,
  { pattern = "", names }: Pick<CommandGlob, "names"> & Partial<Pick<CommandGlob, "pattern">>,
  lookup: GlobLookup,
): PlainMatches | undefined {
  const found: string[] = [];
  const hidden: string[] = [];
  const onlyFolders = pattern.endsWith("/");
  const at = folder === "/" ? "" : folder.replace(/\/+$/, "");
  return walk(at, 0, found) && found.length > 0 ? { found, hidden } : undefined;

  // Returns false if not all is known.
  function walk(path: string, depth: number, list: string[]): boolean {
    const name = names[depth];
    if (name === undefined) return add(path, list);
    if (name !== ANY && name.literal !== undefined)
      return enter(`${path}/${name.literal}`, depth + 1, list);
    const entries = lookup.namesIn(path)?.filter((entry) => name === ANY || mayName(name, entry));
    if (entries === undefined) return false;
    const listOf = (entry: string): string[] => (isVisible(name, entry) ? list : hidden);
    if (name !== ANY)
      return entries.every((entry) => enter(`${path}/${entry}`, depth + 1, listOf(entry)));
    return (
      walk(path, depth + 1, list) &&
      entries.every((entry) => isVisible(name, entry) && enter(`${path}/${entry}`, depth, list))
    );
  }

  function enter(path: string, depth: number, list: string[]): boolean {
    const kind = lookup.kindOf(path);
    if (kind === "folder") return walk(path, depth, list);
    if (kind === "nothing") return true;
    // A last `**` finds files too.
    const isLast = depth === names.length || (depth === names.length - 1 && names[depth] === ANY);
    return kind === "file" && (!isLast || onlyFolders || add(path, list));
  }

  function add(path: string, list: string[]): boolean {
    list.push(path);
    return (
      found.length + hidden.length <= MAX_MATCHES &&
      lookup.count() &&
      PLAIN.test(path.slice(at.length))
    );
  }
}

// Whether no option of a shell decides if a wildcard finds the name.
const isVisible = (glob: Segment, name: string): boolean =>
  !name.startsWith(".") || (glob !== ANY && glob.prefix.startsWith("."));

const PLAIN = /^(?!\/[@+])(?:\/(?![-~])[^/\\*?[\]{}()!$`"'=:\u0000-\u001f\u007f]*)+$/;
