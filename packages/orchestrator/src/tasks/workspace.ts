import { createHash } from "node:crypto";
import { lchownSync, lstatSync, mkdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { isRoot, ownerOf, NOBODY } from "@bylaw/process";
import { quote } from "@bylaw/wording";
import { realOf } from "../config/server-files.ts";

interface WorkspaceOptions {
  /** Whether each task has its own folder. */
  readonly per_task: boolean;
  /** Whether `tools.wrap` starts programs of agents, and so determines their user. */
  readonly wrapped: boolean;
  /** Files and folders of the server, absolute. No task's folder may contain one of them. */
  readonly serverFilePaths?: readonly string[];
}

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,99}$/;
// Node looks for packages in `node_modules` of any folder above, and Windows reserves device names. The last alternative is the form of
// encoded names.
const RESERVED = /^(?:node_modules|con|prn|aux|nul|com\d|lpt\d|[0-9a-f]{40})$/;

/**
 * Creates the function that returns the folder of each task: one for all, or one for each, which is created if it is missing. The function
 * throws BYLAW_WORKSPACE_TAKEN if something else has the name of that folder.
 */
export function workspaces(
  folder: string,
  { per_task, wrapped, serverFilePaths = [] }: WorkspaceOptions,
): (task: string) => string {
  if (!per_task) return () => folder;
  const start = `${realOf(folder)}${sep}`;
  const taken = new Set(
    serverFilePaths
      .map(realOf)
      .filter((path) => path.startsWith(start))
      .map((path) => path.slice(start.length).split(sep)[0]?.toLowerCase()),
  );
  return (task) => {
    // A task id can be any text, and not every text is a valid folder name. On some machines, letter case does not distinguish folders.
    const isPlain = PLAIN.test(task) && !RESERVED.test(task) && !taken.has(task);
    const path = join(
      folder,
      isPlain ? task : createHash("sha256").update(task, "utf8").digest("hex").slice(0, 40),
    );
    // Checked each time, because a program could replace the folder by a link.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) makeWorkspace(path, { wrapped });
    else if (!found.isDirectory())
      throw takenBy(task, path, found.isSymbolicLink() ? "a link" : "a file");
    return path;
  };
}

const takenBy = (task: string, path: string, what: string): BylawError =>
  new BylawError({
    code: "BYLAW_WORKSPACE_TAKEN",
    message: `The task ${quote(task)} cannot have its workspace: ${quote(path)} is ${what}, not a folder`,
    fix: "Give the task another id, or move what is there.",
  });

/** Creates the folder if it is missing, and gives it to the user that runs programs of agents. */
export function makeWorkspace(path: string, { wrapped }: Pick<WorkspaceOptions, "wrapped">): void {
  const isNew = mkdirSync(path, { recursive: true }) !== undefined;
  if (isNew && !wrapped) give(path);
}

// If the server is root, programs of agents run as the owner of the workspace, which then must not be root.
function give(path: string): void {
  if (!isRoot()) return;
  const { uid, gid } = ownerOf(dirname(path)) ?? NOBODY;
  lchownSync(path, uid, gid);
}
