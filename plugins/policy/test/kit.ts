import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BylawError, type ToolCall } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { beforeAll, beforeEach } from "vitest";

/** One rule in TOML. */
export const rule = (name: string, action: string, more = ""): string =>
  `[[rules]]\nname = "${name}"\naction = "${action}"\n${more}\n`;

export const call = (
  tool: string,
  args: ToolCall["args"] = {},
  more: Partial<ToolCall> = {},
): ToolCall => ({ hook: "beforeToolCall", tool, args, ...more });

/** A call of the shell tool with this line. */
export const run = (command: string, more: Partial<ToolCall> = {}): ToolCall =>
  call("run_shell_command", { command }, more);

/** The error that a function throws. */
export function refused(work: () => unknown): BylawError {
  try {
    work();
  } catch (error) {
    if (error instanceof BylawError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** Makes files, and runs git, in the folder of the current test. */
export const inFolder = (folder: () => string) => ({
  create: (path: string, content = "a\n"): void => {
    mkdirSync(dirname(join(folder(), path)), { recursive: true });
    writeFileSync(join(folder(), path), content);
  },
  git: (...args: readonly string[]): string =>
    execFileSync("git", ["-C", folder(), ...args], { encoding: "utf8" }),
});

/** Fills a folder once for the tests of a file, because git is slow, and gives each of them a copy. `enter`: takes the folder to use. */
export function copyForEach(enter: (folder: string) => void, fill: () => void): void {
  const like = temporaryFolder();
  beforeAll(() => {
    enter(like);
    fill();
  });
  beforeEach(() => {
    const folder = temporaryFolder();
    cpSync(like, folder, { recursive: true, preserveTimestamps: true });
    enter(folder);
  });
}
