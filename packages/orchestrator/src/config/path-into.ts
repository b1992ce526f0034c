import { basename, dirname, join, resolve } from "node:path";
import type { PathReader } from "./path-reader.ts";

/**
 * Creates the function that finds where a path leads into a folder: the path itself, or a link on the way, which an agent with access to
 * the folder can change. Compares folders by identity, because names differ by letter case and mounts.
 */
export function pathInto(folder: string, reader: PathReader): (path: string) => string | undefined {
  const wanted = reader.identityOf(folder);
  const insides = new Map<string, boolean>();
  const ways = new Map<string, string | undefined>();

  function isInside(path: string): boolean {
    const known = insides.get(path);
    if (known !== undefined) return known;
    const inside =
      reader.identityOf(path) === wanted || (dirname(path) !== path && isInside(dirname(path)));
    insides.set(path, inside);
    return inside;
  }

  function pathOf(path: string): string | undefined {
    if (ways.has(path)) return ways.get(path);
    // Ends links that form a circle.
    ways.set(path, undefined);
    const above = dirname(path);
    const here = above === path ? path : join(reader.realOf(above), basename(path));
    const target = reader.linkAt(here);
    const way =
      (isInside(here) ? here : undefined) ??
      (above === path ? undefined : pathOf(above)) ??
      (target === undefined ? undefined : pathOf(resolve(dirname(here), target)));
    ways.set(path, way);
    return way;
  }

  return pathOf;
}
