import type { FoundRef } from "./path-refs.ts";
import { mayName } from "./name-glob.ts";
import { hasMeaning, isPlainName } from "./path-text.ts";
import type { GlobLookup } from "./real-globs.ts";

/**
 * Lists the files below a folder that another program would find now. Undefined if there are too many, a folder
 * cannot be read, or a name would be read as a different path.
 */
export function foundPaths(
  folder: string,
  { only, links, splits, except }: Pick<FoundRef, "only" | "links" | "splits" | "except">,
  lookup: GlobLookup,
  counts: (path: string) => boolean = () => true,
): readonly string[] | undefined {
  const found: string[] = [];
  const top = folder === "/" ? "" : folder.replace(/\/+$/, "");
  return walk(top) ? found : undefined;

  function walk(at: string): boolean {
    const names = lookup.namesIn(at);
    if (splits && at === top && names?.some(hasMeaning) === true) return false;
    return names !== undefined && names.every((name) => enter(`${at}/${name}`, name));
  }

  function enter(path: string, name: string): boolean {
    const kind = lookup.kindOf(path);
    if (kind === "hidden") return false;
    if (kind === "folder" && except.includes(name)) return true;
    const isWanted = only === undefined || only.some((glob) => mayName(glob, name));
    if (splits && (isWanted || kind === "folder") && !isPlainName(name)) return false;
    if (isWanted && (links || kind !== "link") && counts(path)) {
      found.push(path);
      if (!lookup.count()) return false;
    }
    return kind !== "folder" || walk(path);
  }
}
