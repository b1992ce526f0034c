import { ANY } from "./path-glob.ts";
import type { CommandGlob } from "./call-paths.ts";
import { mayName, type NameGlob } from "./name-glob.ts";
import type { GlobLookup } from "./real-globs.ts";

const MOST = 250;

/**
 * The files and folders that a shell's glob finds now. Undefined if there are none, for then a program gets the glob itself; if a link
 * is among them, or a folder of which everything below is meant; if there are too many; or if a program may read a name as an option,
 * an assignment or another glob.
 */
export function plainMatches(
  folder: string,
  { names, below }: { readonly names: CommandGlob["names"]; readonly below: boolean },
  lookup: GlobLookup,
): readonly string[] | undefined {
  const found: string[] = [];
  const at = folder === "/" ? "" : folder.replace(/\/+$/, "");
  return walk(at, 0) && found.length > 0 ? found : undefined;

  // Returns false if not all is known.
  function walk(path: string, depth: number): boolean {
    const name = names[depth];
    if (name === undefined) return !below && add(path);
    if (name !== ANY && name.literal !== undefined)
      return enter(`${path}/${name.literal}`, depth + 1);
    const entries = lookup.namesIn(path);
    if (name !== ANY)
      return (
        entries?.every((entry) => !mayFind(name, entry) || enter(`${path}/${entry}`, depth + 1)) ===
        true
      );
    return (
      walk(path, depth + 1) &&
      entries?.every((entry) => entry.startsWith(".") || enter(`${path}/${entry}`, depth)) === true
    );
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
    return found.length <= MOST && lookup.count() && PLAIN.test(path);
  }
}

// The case of letters may not matter.
const mayFind = (glob: NameGlob, name: string): boolean =>
  (glob.prefix !== "" || !name.startsWith(".")) && mayName(glob, name);

const PLAIN = /^(?:\/(?![-:~])[^/\\*?[\]{}()!$`"'=\u0000-\u001f\u007f]*)+$/;
