import type { ToolCall } from "@bylaw/kernel";
import { EVERYTHING, foundPaths } from "./found-paths.ts";
import { absolutePath } from "./path-text.ts";
import type { GlobLookup } from "./real-globs.ts";

/** What a copy brings to another folder. */
interface Copy {
  readonly from: string;
  readonly into: string;
  readonly call: ToolCall;
  /** Which copies count, by their absolute paths. */
  readonly counts: (path: string) => boolean;
}

/**
 * The copies that a folder from outside the workspace brings. What lies inside was decided when it was written. Undefined if there are too
 * many files.
 */
export function broughtPaths(
  { from, into, call, counts }: Copy,
  lookup: GlobLookup,
  placesOf: (path: string) => readonly string[],
): readonly string[] | undefined {
  const [seen = "/"] = placesOf(from);
  if (call.workspace !== undefined && `${seen}/`.startsWith(`${call.workspace}/`)) return [];
  const target = absolutePath(into, call).replace(/\/+$/, "");
  const start = from.replace(/\/+$/, "");
  const copyOf = (path: string): string => target + path.slice(start.length);
  const found = foundPaths(from, EVERYTHING, lookup, { counts: (path) => counts(copyOf(path)) });
  return found?.map(copyOf);
}
