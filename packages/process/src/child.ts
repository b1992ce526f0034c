import { spawn, type ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { canContain, containing } from "./contain.ts";
import { whyNotFound } from "./find-program.ts";
import { withLimits, withProcesses } from "./limits.ts";
import type { ProgramStart } from "./program.ts";
import { MARK, markWith } from "./strays.ts";

// What somebody else holds open after the program has ended is not waited for.
const DRAIN_MS = 2_000;

export type Exit = readonly [exit_code: number | null, signal: string | null, error: string | null];

/** Whether it is to run contained, so that nothing it starts outlives it. Asked once: owners may change while it runs. */
export const isContained = ({ cwd, contain }: ProgramStart): boolean => contain !== undefined && canContain(cwd);

export function spawned(start: ProgramStart, id: string, { contained }: { readonly contained: boolean }): ChildProcess | string {
  const { cwd, env, stdin, limits = {}, contain = {} } = start;
  if (contain.required === true && !contained) return notContained(start);
  const argv = withLimits(contained ? containing(withProcesses(start.argv, limits), contain, cwd) : start.argv, limits);
  const code = argv === start.argv ? undefined : whyNotFound(start);
  if (code !== undefined) return notStarted(start, { code });
  const [file = "", ...args] = argv;
  try {
    return spawn(file, args, {
      cwd,
      env: { ...env, [MARK]: markWith(id) },
      detached: true,
      windowsHide: true,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (cause) {
    return notStarted(start, cause);
  }
}

export function exitOf(child: ChildProcess, start: ProgramStart): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (cause) => resolve([null, null, notStarted(start, cause)]));
    child.once("exit", (code, signal) => resolve([code, signal, null]));
  });
}

export async function drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([closed, new Promise<void>((resolve) => (timer = setTimeout(resolve, DRAIN_MS)))]);
  clearTimeout(timer);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

// One that runs as somebody else, such as with the rights of root, does not end when this process tells it to.
export const notEnded = ({ argv: [file = ""] }: ProgramStart): string =>
  `Unexpected \`${file}\` that this process may not end, expected a program of the same user`;

const notContained = ({ argv: [file = ""], cwd }: ProgramStart): string =>
  `Unexpected start of \`${file}\` in \`${cwd}\`, where it cannot be contained, expected a folder of the user of this process, and namespaces of Linux`;

function notStarted({ argv: [file = ""], cwd }: ProgramStart, cause: unknown): string {
  const { code } = cause as { readonly code?: unknown };
  const folder = statSync(cwd, { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true) return `Unexpected failure to start \`${file}\` in \`${cwd}\`, expected a folder`;
  return `Unexpected failure to start \`${file}\` (${typeof code === "string" ? code : "unknown"}), expected a program`;
}
