import { createHash } from "node:crypto";
import { lchownSync, lstatSync, mkdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { isRoot, ownerOf, UNPRIVILEGED } from "@bylaw/process";
import { quote } from "@bylaw/wording";
import { realOf } from "../config/server-files.ts";

interface WorkspaceTerms {
  /** Whether each task has a folder of its own. */
  readonly per_task: boolean;
  /** Whether programs of agents are started by `tools.wrap`, which then says who they run as. */
  readonly wrapped: boolean;
  /** Files and folders of the server, absolute: no task has one of them in its folder. */
  readonly serverFilePaths?: readonly string[];
}

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,99}$/;
// Node looks there for packages of every folder beside it, and Windows has devices of these names. The last is how other names are written.
const RESERVED = /^(?:node_modules|con|prn|aux|nul|com\d|lpt\d|[0-9a-f]{40})$/;

/**
 * Makes the function that knows the folder of each task: one for all, or one for each, which is made where it is not there. The function
 * throws BYLAW_WORKSPACE_TAKEN where something else has the name of that folder.
 */
export function workspaces(
  folder: string,
  { per_task, wrapped, serverFilePaths = [] }: WorkspaceTerms,
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
    // Any text may be the name of a task, and not every one is that of a folder. Letter case would tell none apart on some machines.
    const isPlain = PLAIN.test(task) && !RESERVED.test(task) && !taken.has(task);
    const path = join(
      folder,
      isPlain ? task : createHash("sha256").update(task, "utf8").digest("hex").slice(0, 40),
    );
    // Checked each time: a program beside it could put a link in its place.
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

/** Makes the folder where it is missing, and gives it to the user that programs of agents run as. */
export function makeWorkspace(path: string, { wrapped }: Pick<WorkspaceTerms, "wrapped">): void {
  const isNew = mkdirSync(path, { recursive: true }) !== undefined;
  if (isNew && !wrapped) give(path);
}

// Where the server is root, programs of agents run as the owner of the workspace, which then must not be root.
function give(path: string): void {
  if (!isRoot()) return;
  const { uid, gid } = ownerOf(dirname(path)) ?? UNPRIVILEGED;
  lchownSync(path, uid, gid);
}
