import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { printedLines, type PrintedLines } from "@bylaw/testing";
import { onTestFinished } from "vitest";

/** Starts a program of `children/` in its own process, which is killed by its id when the test ends. */
export function start(
  program: string,
  ...args: readonly string[]
): PrintedLines<string> & { readonly process: ChildProcess } {
  const path = join(import.meta.dirname, "children", program);
  const child = spawn(
    process.execPath,
    ["--experimental-strip-types", "--disable-warning=ExperimentalWarning", path, ...args],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const printed = printedLines(child, String);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await printed.ended;
  });
  return { process: child, ...printed };
}
