import { lstatSync, readlinkSync } from "node:fs";
import type { JsonObject, ToolCall } from "@bylaw/kernel";
import { absolutePath, segmentsOf, type CommandGlob } from "@bylaw/policy-language";
import { GlobBudget, linkedPaths } from "./real-globs.ts";

/**
 * Resolves the links in paths that a call names: `{ paths: [[text, real path, other names …]] }`. A real path inside a workspace or
 * home that itself lies behind a link is given as seen through that folder, and as it is. Globs besides, as `globs`: what each
 * finds by way of a link.
 */
export function resolvePaths(call: ToolCall, texts: readonly string[], globs: readonly CommandGlob[] = []): JsonObject | undefined {
  if (texts.length === 0 && globs.length === 0) return undefined;
  let roots: readonly Root[] | undefined;
  const rootsOnce = (): readonly Root[] => (roots ??= rootsOf(call));
  // A text alone is a path that cannot be resolved, and so never allowed.
  const paths = texts.map((text, at) => (at < MAX_PATHS ? [text, ...placesOf(absolutePath(text, call), rootsOnce)] : [text]));
  if (globs.length === 0) return { paths };
  const budget = new GlobBudget();
  return {
    paths,
    globs: globs.map(({ pattern, folder, names }) => {
      const places = linkedPaths(absolutePath(folder, call), names, budget)?.map((path) => placesOf(path, rootsOnce));
      return places?.every(({ length }) => length > 0) === true ? { pattern, places } : { pattern };
    }),
  };
}

const MAX_PATHS = 1000;

interface Root {
  readonly seen: string;
  readonly real: string;
}

function rootsOf({ cwd, workspace, home }: ToolCall): readonly Root[] {
  const roots: Root[] = [];
  for (const folder of new Set([workspace, cwd, home])) {
    if (folder === undefined || !folder.startsWith("/")) continue;
    const seen = `/${segmentsOf(folder).join("/")}`;
    const real = realPath(seen);
    if (real !== undefined && real !== seen && real !== "/") roots.push({ seen, real });
  }
  return roots;
}

// The first is the one that an allow must cover; none where the links cannot be followed.
function placesOf(path: string, rootsOnce: () => readonly Root[]): readonly string[] {
  const plain = `/${segmentsOf(path).join("/")}`;
  const real = realPath(plain);
  if (real === undefined) return [];
  // The system follows a link before it takes `..`; a program that tidies the text first does not. Both must be allowed.
  const physical = path.split("/").includes("..") ? realPath(path) : real;
  if (real === plain && (physical === undefined || physical === real)) return [real];
  const roots = rootsOnce();
  if (physical !== undefined && physical !== real) return [reroot(physical, roots), real, physical];
  const seen = reroot(real, roots);
  return seen === real ? [real] : [seen, real];
}

function reroot(path: string, roots: readonly Root[]): string {
  for (const { seen, real } of roots) {
    if (path === real) return seen;
    if (path.startsWith(`${real}/`)) return seen + path.slice(real.length);
  }
  return path;
}

const MAX_LINKS = 40;

/**
 * The path without links; what does not exist resolves to itself, and a link to what does not exist to that, since who writes
 * through it creates it. Undefined where a loop or a permission hides the answer.
 */
export function realPath(path: string): string | undefined {
  const pending = path.split("/").toReversed();
  let at = "";
  let exists = true;
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, at.lastIndexOf("/"));
      exists = true;
      continue;
    }
    const here = `${at}/${name}`;
    // One look at each part costs a fraction of `realpath`, which throws for every call about a file to be made.
    const found: Entry = exists ? lookAt(here) : "nothing";
    if (found === "hidden") return undefined;
    exists = found !== "nothing";
    if (typeof found !== "object") {
      at = here;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return undefined;
    if (found.target.startsWith("/")) at = "";
    pending.push(...found.target.split("/").toReversed());
  }
  return at === "" ? "/" : at;
}

type Entry = "nothing" | "something" | "hidden" | { readonly target: string };

function lookAt(path: string): Entry {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return "nothing";
    return entry.isSymbolicLink() ? { target: readlinkSync(path) } : "something";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "nothing" : "hidden";
  }
}
