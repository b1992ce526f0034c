import type { Word } from "../analysis.ts";
import { ANYWHERE, LATER, START } from "../effects/working-folder.ts";
import type { WalkState } from "../walk/walk-state.ts";

// A shell would split any other path, or read it differently.
const PLAIN_PATH = /^\/[\w./@-]*$/;

/** The path of the working directory, which is the value of `PWD`. Undefined if it is not known. */
export function folderPath(walk: WalkState): string | undefined {
  const { cwd, folder } = walk;
  const [inside, ...others] = folder;
  if (cwd.path === undefined || inside === undefined || others.length > 0) return undefined;
  if (folder === ANYWHERE || folder === LATER || inside.startsWith("~")) return undefined;
  const path = inside.startsWith("/") ? inside : inside === "" ? cwd.path : `${cwd.path}/${inside}`;
  // Where `..` leads depends on whether a name before it is a link.
  if (!PLAIN_PATH.test(path) || path.includes("..") || !walk.variables.isUntouched("PWD"))
    return undefined;
  cwd.used = true;
  return path;
}

/** The path that a substitution prints, if it is `$(pwd)` and that path is known. */
export const printedFolder = (walk: WalkState, text: string): string | undefined =>
  /^(?:\$\( ?pwd ?\)|`pwd`)$/.test(text) ? folderPath(walk) : undefined;

/** The value of a variable. In a line that uses `PWD`, paths below the working directory are relative to it. */
export function relativeValue({ cwd, folder }: WalkState, value: Word): Word {
  const { text } = value;
  if (!cwd.used || cwd.path === undefined || folder !== START || text === undefined) return value;
  const parts = text.split(":").map((path) => relativePath(path, cwd.path ?? ""));
  const relative = parts.join(":");
  return { ...value, text: relative, pieces: [relative] };
}

const relativePath = (path: string, folder: string): string =>
  path === folder || path.startsWith(`${folder}/`) ? `.${path.slice(folder.length)}` : path;
