import { lstatSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realOf } from "./server-files.ts";

/**
 * Creates the function that finds where a path leads into a folder: the path itself, or a link on the way, which an agent with access to
 * the folder can change. Compares folders by identity, because names differ by letter case and mounts.
 */
export function pathInto(folder: string): (path: string) => string | undefined {
  const wanted = identityOf(folder);
  const insides = new Map<string, boolean>();
  const ways = new Map<string, string | undefined>();
  const reals = new Map<string, string>();

  function real(path: string): string {
    const known = reals.get(path) ?? realOf(path);
    reals.set(path, known);
    return known;
  }

  function isInside(path: string): boolean {
    const known = insides.get(path);
    if (known !== undefined) return known;
    const inside =
      identityOf(path) === wanted || (dirname(path) !== path && isInside(dirname(path)));
    insides.set(path, inside);
    return inside;
  }

  function pathOf(path: string): string | undefined {
    if (ways.has(path)) return ways.get(path);
    // Ends links that form a circle.
    ways.set(path, undefined);
    const above = dirname(path);
    const here = above === path ? path : join(real(above), basename(path));
    const target = linkAt(here);
    const way =
      (isInside(here) ? here : undefined) ??
      (above === path ? undefined : pathOf(above)) ??
      (target === undefined ? undefined : pathOf(resolve(dirname(here), target)));
    ways.set(path, way);
    return way;
  }

  return pathOf;
}

/** The device and inode of a path. `undefined` if it is missing or this process may not access it. */
export function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && `${stat.dev}:${stat.ino}`;
  } catch {
    return undefined;
  }
}

function linkAt(path: string): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
