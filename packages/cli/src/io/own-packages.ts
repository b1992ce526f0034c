import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The build puts the packages into this one and answers these two questions itself: rolldown.config.ts.

/** The URL of the entry of a package that comes with the command. */
export const entryOf = (name: string): string => import.meta.resolve(name);

/** The URL of a file in a package that comes with the command. `path`: from the folder of the package. */
export function fileOf(name: string, path: string): URL {
  const places = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const folder = places.map((place) => join(place, name)).find((place) => existsSync(place));
  return new URL(path, pathToFileURL(`${folder ?? name}/`));
}
