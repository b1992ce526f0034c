import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** What a child process prints. */
export interface PrintedLines<Line> {
  /** The lines so far. */
  readonly lines: readonly Line[];
  /** Resolves to the first line that fits, or rejects when the process ends without one. */
  readonly said: (fits: (line: Line) => boolean) => Promise<Line>;
  /** Resolves to the code or the signal when the process has ended and all its lines are read. */
  readonly ended: Promise<number | string>;
}

/** A process that `node:child_process` has started. Its own type would need the types of Node wherever this package is used. */
export interface StartedChild {
  readonly stdout: object | null;
  readonly pid?: number | undefined;
}

/** Reads the lines that a child process prints to its piped output. */
export function printedLines<Line>(
  started: StartedChild,
  read: (line: string) => Line,
): PrintedLines<Line> {
  const child = started as ChildProcess;
  if (child.stdout === null) throw new Error("The child has no output. Start it with a pipe.");
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(read(line));
    for (const look of waiting) look();
  });
  const ended = once(child, "close").then(
    ([code, signal]) => (code as number | null) ?? (signal as string),
  );
  return {
    lines,
    ended,
    said: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then((how) =>
          reject(
            new Error(
              `The child ended with ${how} and printed no such line: ${JSON.stringify(lines)}`,
            ),
          ),
        );
      }),
  };
}
