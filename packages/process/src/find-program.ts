import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import { isRoot, mayExecute, type User } from "./contain-user.ts";
import { isWithin } from "./mounts.ts";
import type { ProgramStart } from "./program.ts";

// The folders in which the system searches for a program if PATH is not set.
const USUAL = ["/bin", "/usr/bin"].join(delimiter);

type Problem = "ENOENT" | "EACCES" | "closed";

/**
 * The error code with which the system would refuse to start a program. Undefined if it would start
 * it. Checked before the start, because a wrapper would report the error only as text. `closed`:
 * this process may start it, but the user may not.
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

// The folders above the working folder are open to the program, whatever their modes: containment
// leaves nothing else in them.
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
