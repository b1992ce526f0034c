import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import {
  isRoot,
  programEnvironment,
  runProgram,
  NOBODY,
  type ProgramEnd,
  type ProgramStart,
} from "../src/index.ts";

/** Gives a folder and its contents to the user of agents' programs, if the tests run as root. */
export function give(path: string): string {
  if (!isRoot()) return path;
  const { uid, gid } = NOBODY;
  // `-h` follows no link, so nothing outside is changed.
  spawnSync("chown", ["-hR", `${uid}:${gid}`, path], { stdio: "inherit" });
  return path;
}

/** Runs a line in a real shell, with time limits for a busy machine. */
export const sh = (script: string, more: Partial<ProgramStart> = {}): Promise<ProgramEnd> => {
  const cwd = more.cwd ?? temporaryFolder();
  if (more.contain !== undefined) give(more.contain.within ?? cwd);
  return runProgram({
    argv: ["/bin/sh", "-c", script],
    cwd,
    env: programEnvironment(),
    timeoutMs: 60_000,
    ...more,
  });
};

export const node = (script: string, more: Partial<ProgramStart> = {}): Promise<ProgramEnd> =>
  sh("", { argv: [process.execPath, "-e", script], ...more });

/** The process id that a program wrote into a file of its folder. */
export const pidIn = (at: string, name = "pid"): number =>
  Number(readFileSync(join(at, name), "utf8").trim());

export function isGone(pid: number): boolean {
  // A child whose parent has not waited for it is still listed, as a zombie.
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}
