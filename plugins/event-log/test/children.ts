import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { printedLines, type PrintedLines } from "@bylaw/testing";
import { onTestFinished } from "vitest";

/** A program of `children/` in its own process. */
export interface Child extends PrintedLines<string> {
  readonly process: ChildProcess;
}

/** Starts a program, which is killed by its id when the test ends. */
export function start(program: string, ...args: readonly string[]): Child {
  return child(
    spawn(
      process.execPath,
      [...nodeFlags, join(import.meta.dirname, "children", program), ...args],
      { stdio: ["ignore", "pipe", "inherit"] },
    ),
  );
}

/** The flags with which Node runs a TypeScript program. */
export const nodeFlags: readonly string[] = [
  "--experimental-strip-types",
  "--disable-warning=ExperimentalWarning",
];

export function child(process: ChildProcess): Child {
  const printed = printedLines(process, String);
  onTestFinished(async () => {
    process.kill("SIGKILL");
    await printed.ended;
  });
  return { process, ...printed };
}
