import { ANY } from "./path-glob.ts";
import type { CommandGlob } from "./call-paths.ts";
import { mayName, type Segment } from "./name-glob.ts";
import type { GlobLookup } from "./real-globs.ts";

const MOST = 250;

/**
 * The files and folders that a shell's glob finds now. Undefined if there are too many, or none: then the program gets the glob itself.
 * Also undefined if one of them is a link, or has a leading dot that was not written, which some shells find only with an option set.
 * Also if a program may read a name as an option, a file of options, a host, an assignment or another glob.
 */
export function plainMatches(
  folder: string,
  names: CommandGlob["names"],
  lookup: GlobLookup,
): readonly string[] | undefined {
  const found: string[] = [];
  const at = folder === "/" ? "" : folder.replace(/\/+$/, "");
  return walk(at, 0) && found.length > 0 ? found : undefined;

  // Returns false if not all is known.
  function walk(path: string, depth: number): boolean {
    const name = names[depth];
    if (name === undefined) return add(path);
    if (name !== ANY && name.literal !== undefined)
      return enter(`${path}/${name.literal}`, depth + 1);
    const entries = lookup.namesIn(path)?.filter((entry) => name === ANY || mayName(name, entry));
    if (entries?.every((entry) => isVisible(name, entry)) !== true) return false;
    if (name !== ANY) return entries.every((entry) => enter(`${path}/${entry}`, depth + 1));
    return walk(path, depth + 1) && entries.every((entry) => enter(`${path}/${entry}`, depth));
  }

  function enter(path: string, depth: number): boolean {
    const kind = lookup.kindOf(path);
    if (kind === "folder") return walk(path, depth);
    if (kind === "nothing") return true;
    // A last `**` finds files too.
    const isLast = depth === names.length || (depth === names.length - 1 && names[depth] === ANY);
    return kind === "file" && (!isLast || add(path));
  }

  function add(path: string): boolean {
    found.push(path);
    return found.length <= MOST && lookup.count() && PLAIN.test(path.slice(at.length));
  }
}

// Whether no option of a shell decides if a wildcard finds the name.
const isVisible = (glob: Segment, name: string): boolean =>
  !name.startsWith(".") || (glob !== ANY && glob.prefix.startsWith("."));

const PLAIN = /^(?!\/[@+])(?:\/(?![-~])[^/\\*?[\]{}()!$`"'=:\u0000-\u001f\u007f]*)+$/;
