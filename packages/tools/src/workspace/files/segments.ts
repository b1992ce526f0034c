import { isAbsolute, relative, sep } from "node:path";
import { refused } from "./refused.ts";

/** The folder for the work on a task, as its carrier named it, and its real path. */
export interface Root {
  readonly given: string;
  readonly real: string;
}

const MAX_PATH = 4_096;
const MAX_NAME = 255;
// oxlint-disable-next-line no-control-regex -- a zero byte ends a path for the system, and others hide what it is
const CONTROL = /[\u0000-\u001f\u007f]/;
// Only a program that decodes the name again sees a dot, a slash or a zero byte. No honest file name looks like this.
const ENCODED = /%(?:25)*(?:2e|2f|5c|00)/i;

/**
 * Splits a path into names, relative to the workspace. Empty for the workspace itself. An absolute path must be inside the workspace.
 * Throws BYLAW_PLACE_REFUSED for a path that leaves the workspace, and for one that can be read in two ways.
 */
export function segmentsOf(path: string, root: Root): readonly string[] {
  if (path.length > MAX_PATH)
    throw refused(`${path.slice(0, 80)}…`, `is longer than ${MAX_PATH} characters`);
  if (CONTROL.test(path) || !path.isWellFormed())
    throw refused(path, "contains characters that no file name has");
  if (path.includes("\\")) throw refused(path, "contains a backslash", "Write `/` between names");
  if (ENCODED.test(path)) throw refused(path, "is percent-encoded", "Write the path as it is");
  if (path.startsWith("~"))
    throw refused(path, "begins with `~`", "Give the path from the workspace");
  const names: string[] = [];
  for (const name of (isAbsolute(path) ? below(path, root) : path).split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (names.pop() === undefined) throw refused(path, "leaves the workspace");
      continue;
    }
    const plain = name.normalize("NFKC");
    if (plain === "." || plain === ".." || /[/\\]/.test(plain))
      throw refused(path, "looks like another path");
    if (new TextEncoder().encode(name).length > MAX_NAME)
      throw refused(path, `has a name of more than ${MAX_NAME} bytes`);
    names.push(name);
  }
  return names;
}

function below(path: string, { given, real }: Root): string {
  for (const root of [given, real]) {
    if (path === root) return "";
    if (path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
      return path.slice(root.length);
  }
  throw refused(path, "is outside the workspace");
}

/** Splits an absolute path into names, relative to a workspace. Undefined if it is outside. */
export function segmentsBelow(real: string, path: string): readonly string[] | undefined {
  const below = relative(real, path);
  return below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)
    ? undefined
    : below.split(sep).filter((name) => name !== "");
}
