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
  /** Resolves with the first line that passes; rejects if it ends without. */
  readonly said: (passes: (line: string) => boolean) => Promise<string>;
  /** Resolves when it has ended, with its code or signal. */
  readonly ended: Promise<number | string>;
}

/** Starts a program, which is killed by its id when the test ends. */
export function start(program: string, ...args: readonly string[]): Child {
  const path = join(import.meta.dirname, "children", program);
  const child = spawn(
    process.execPath,
    ["--experimental-strip-types", "--disable-warning=ExperimentalWarning", path, ...args],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const closed = once(reader, "close");
  const ended = once(child, "exit").then(async ([code, signal]): Promise<number | string> => {
    await closed;
    return (code as number | null) ?? (signal as string);
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    process: child,
    lines,
    ended,
    said: (passes) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(passes);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then((how) =>
          reject(new Error(`Unexpected end (${how}), expected another line`)),
        );
      }),
  };
}
