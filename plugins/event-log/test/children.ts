import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** A program of `children/` in its own process. */
export interface Child {
  readonly process: ChildProcess;
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Resolves when it prints a line, or has printed it; rejects if it ends without. */
  readonly said: (line: string) => Promise<void>;
  /** Resolves when it has ended, with its code or signal. */
  readonly ended: Promise<number | string>;
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
  const lines: string[] = [];
  const waiting = new Map<string, () => void>();
  const reader = createInterface({ input: process.stdout ?? failed() });
  reader.on("line", (line) => {
    lines.push(line);
    waiting.get(line)?.();
  });
  const closed = once(reader, "close");
  const ended = once(process, "exit").then(async ([code, signal]): Promise<number | string> => {
    await closed;
    return (code as number | null) ?? (signal as string);
  });
  onTestFinished(async () => {
    process.kill("SIGKILL");
    await ended;
  });
  return {
    process,
    lines,
    ended,
    said: (line) =>
      new Promise((resolve, reject) => {
        if (lines.includes(line)) resolve();
        waiting.set(line, resolve);
        void ended.then((how) =>
          reject(new Error(`Unexpected end (${how}), expected \`${line}\``)),
        );
      }),
  };
}

function failed(): never {
  throw new Error("Unexpected child without an output, expected a pipe");
}
