import { spawn, type ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { canContain, containing, containmentObstacle } from "./contain.ts";
import { isRoot, userOf, type User } from "./contain-user.ts";
import { whyNotFound } from "./find-program.ts";
import { withLimits, withProcesses } from "./limits.ts";
import type { ProgramStart } from "./program.ts";
import { MARK, markWith } from "./orphan-processes.ts";

// How long to wait for the output after the program has ended, since another process may still hold
// it open.
const DRAIN_MS = 2_000;

export type Exit = readonly [exit_code: number | null, signal: string | null, error: string | null];

/**
 * The user that a contained program runs as. Undefined if it does not run contained. Asked only
 * once, because the owner of the workspace may change meanwhile.
 */
export function containedUser({ cwd, contain }: ProgramStart): User | undefined {
  if (contain === undefined) return undefined;
  const workspace = contain.within ?? cwd;
  return canContain(workspace, contain) ? userOf(workspace, contain) : undefined;
}

export function spawned(
  start: ProgramStart,
  id: string,
  user: User | undefined,
): ChildProcess | string {
  const { cwd, env, stdin, limits = {}, contain } = start;
  if (!isFolder(cwd) || !isFolder(contain?.within ?? cwd)) return notStarted(start, {});
  if (
    contain !== undefined &&
    user === undefined &&
    (contain.required === true || (isRoot() && contain.allowRoot !== true))
  )
    return notContained(start);
  const unfound = user === undefined ? undefined : whyNotFound(start, user);
  if (unfound === "closed") return notReached(start, user);
  const inner = { argv: withProcesses(start.argv, limits), program: start.argv[0], cwd, env };
  const argv = withLimits(
    contain === undefined || user === undefined ? start.argv : containing(inner, contain, user),
    limits,
  );
  const code = unfound ?? (argv === start.argv ? undefined : whyNotFound(start));
  if (code !== undefined) return notStarted(start, { code });
  const [file = "", ...args] = argv;
  try {
    return spawn(file, args, {
      cwd: user === undefined ? cwd : (contain?.within ?? cwd),
      env: { ...(user === undefined ? env : environmentOf(env, user)), [MARK]: markWith(id) },
      detached: true,
      windowsHide: true,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (cause) {
    return notStarted(start, cause);
  }
}

// For another user, the home and temporary folder of this process belong to somebody else. `/tmp`
// is private to the program.
function environmentOf(
  env: Readonly<Record<string, string>>,
  user: User,
): Readonly<Record<string, string>> {
  const { USER: _user, LOGNAME: _name, ...others } = env;
  const isOther = isRoot() && user.uid !== 0;
  const home = isOther && env["HOME"] === process.env["HOME"] ? { HOME: "/tmp" } : {};
  return {
    ...(isOther ? others : env),
    ...home,
    ...(env["TMPDIR"] === undefined ? {} : { TMPDIR: "/tmp" }),
  };
}

export function exitOf(child: ChildProcess, start: ProgramStart): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (cause) => resolve([null, null, notStarted(start, cause)]));
    child.once("exit", (code, signal) => resolve([code, signal, null]));
  });
}

export async function drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([
    closed,
    new Promise<void>((resolve) => (timer = setTimeout(resolve, DRAIN_MS))),
  ]);
  clearTimeout(timer);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

// A program with the rights of another user, such as root, does not end when this process tells it
// to.
export const notEnded = ({ argv: [file = ""] }: ProgramStart): string =>
  `\`${file}\` cannot be ended by this process: it runs as another user`;

const notContained = ({ argv: [file = ""], cwd, contain = {} }: ProgramStart): string =>
  `\`${file}\` was not started: ${containmentObstacle(contain.within ?? cwd, contain)?.reason}`;

const notReached = ({ argv: [file = ""] }: ProgramStart, user: User | undefined): string =>
  `\`${file}\` was not started: user ${user?.uid}, which programs of this workspace run as, may not run it or enter the folder it lies in`;

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function notStarted({ argv: [file = ""], cwd }: ProgramStart, cause: unknown): string {
  const { code } = cause as { readonly code?: unknown };
  if (!isFolder(cwd)) return `Cannot start \`${file}\`: \`${cwd}\` is not a folder`;
  return `Cannot start \`${file}\`: ${typeof code === "string" ? code : "unknown error"}`;
}
