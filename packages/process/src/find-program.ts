import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import { isRoot, mayExecute, type User } from "./contain-user.ts";
import { isWithin } from "./mounts.ts";
import type { ProgramStart } from "./program.ts";

// Where the system looks for a program without a path.
const USUAL = ["/bin", "/usr/bin"].join(delimiter);

type Problem = "ENOENT" | "EACCES" | "closed";

/**
 * Why the system would not start a program, by its code; undefined where it would. Another that
 * starts it could say so only in words. `closed`: this process may start it, and the user may not.
 */
export function whyNotFound(
  { argv: [file = ""], cwd, env }: ProgramStart,
  user?: User,
): Problem | undefined {
  if (file === "") return "ENOENT";
  const folders = file.includes("/") ? [""] : (env["PATH"] ?? USUAL).split(delimiter);
  const found = folders.map((folder) => problemOf(resolve(cwd, folder, file), cwd, user));
  if (found.includes(undefined)) return undefined;
  return (["closed", "EACCES"] as const).find((problem) => found.includes(problem)) ?? "ENOENT";
}

function problemOf(path: string, cwd: string, user: User | undefined): Problem | undefined {
  try {
    if (!statSync(path).isFile()) return "EACCES";
    accessSync(path, constants.X_OK);
    return user === undefined || !isRoot() || mayRun(realpathSync(path), realpathSync(cwd), user)
      ? undefined
      : "closed";
  } catch (cause) {
    return (cause as { readonly code?: unknown }).code === "EACCES" ? "EACCES" : "ENOENT";
  }
}

// The folders above the one that it runs in stand open to it, whatever rights they have: nothing
// else is left of them.
function mayRun(path: string, cwd: string, user: User): boolean {
  const folders = [dirname(path)];
  for (let last = ""; last !== folders.at(-1);)
    folders.push(dirname((last = folders.at(-1) ?? "/")));
  return (
    mayExecute(user, path) &&
    folders.every(
      (folder) => (isWithin(path, cwd) && isWithin(cwd, folder)) || mayExecute(user, folder),
    )
  );
}
