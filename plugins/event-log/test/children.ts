import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** A program of `children/`, in a process of its own. */
export interface Child {
  readonly process: ChildProcess;
  /** What it has said so far. */
  readonly lines: readonly string[];
  /** Resolves when it says a line, or has said it; rejects when it ends without. */
  readonly said: (line: string) => Promise<void>;
  /** Resolves when it has ended, with its code or signal. */
  readonly ended: Promise<number | string>;
}

/** Starts a program; it is killed, by its own id, when the test is done. */
export function start(program: string, ...args: readonly string[]): Child {
  return child(
    spawn(
      process.execPath,
      [...nodeFlags, join(import.meta.dirname, "children", program), ...args],
      { stdio: ["ignore", "pipe", "inherit"] },
    ),
  );
}

/** What Node needs to run a program in TypeScript. */
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
