import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The build bundles the packages and replaces these two functions: rolldown.config.ts.

/** The URL of the entry of a bundled package. */
export const entryOf = (name: string): string => import.meta.resolve(name);

/** The URL of a file in a bundled package. `path` is relative to the package's folder. */
export function fileOf(name: string, path: string): URL {
  const places = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const folder = places.map((place) => join(place, name)).find((place) => existsSync(place));
  return new URL(path, pathToFileURL(`${folder ?? name}/`));
}
