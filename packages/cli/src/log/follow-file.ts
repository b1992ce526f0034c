import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import { filesSince } from "./rotated-files.ts";
import type { GrowingFile, TailLine } from "./growing-file.ts";

/** What becomes of a log that is followed. */
export interface Following {
  readonly lines: (lines: readonly TailLine[]) => void | Promise<void>;
  /** What a person should know: a rotation that left lines behind, a file that was cut. */
  readonly note: (text: string) => void;
}

/** How often the file is looked at where nothing says that it changed, in milliseconds. */
const POLL_MS = 500;

/**
 * Reads a file as it grows, over rotations, until it is stopped. It sleeps until the folder changes or half a second is over.
 * Rejects with what the system says of a file that can no longer be read.
 */
export async function followFile(
  path: string,
  opened: GrowingFile,
  { lines, note }: Following,
  stopped: AbortSignal,
): Promise<void> {
  let file = opened;
  const waiter = createWaiter(path, stopped);

  async function drain(from: GrowingFile): Promise<void> {
    for (const batch of from.read()) await lines(batch);
  }

  try {
    while (!stopped.aborted) {
      if (file.wasCut()) {
        note("was cut; it is read from its beginning");
        file.rewind();
      }
      // Before the look at the name: what is written to this file until it is renamed is read behind it.
      const moved = isMoved(path, file);
      await drain(file);
      const since = moved ? filesSince(path, file) : undefined;
      if (since !== undefined) {
        const { files, complete } = since;
        const rest = file.rest();
        if (rest !== undefined) await lines([rest]);
        if (!complete) note("was replaced; lines may be missing before this one");
        for (const next of files) {
          file.close();
          file = next;
          await drain(file);
        }
        continue;
      }
      await waiter.change();
    }
  } finally {
    file.close();
    waiter.close();
  }
}

// A file that is missing for a moment is being rotated: its next one is waited for.
function isMoved(path: string, { stats }: GrowingFile): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return now !== undefined && (now.ino !== stats.ino || now.dev !== stats.dev);
}

interface Waiter {
  change(): Promise<void>;
  close(): void;
}

function createWaiter(path: string, stopped: AbortSignal): Waiter {
  let changed = false;
  let wake: (() => void) | undefined;
  let watcher: FSWatcher | undefined;
  const tell = (): void => {
    changed = true;
    wake?.();
  };
  try {
    // The folder and not the file: a rotation gives the name to another file.
    watcher = watch(dirname(path), (_, name) => {
      if (name === null || name === basename(path)) tell();
    });
    watcher.on("error", () => watcher?.close());
  } catch {
    // Not every file system tells; then the clock alone does.
  }
  stopped.addEventListener("abort", tell);
  return {
    async change() {
      if (!changed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, POLL_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      changed = false;
    },
    close: () => watcher?.close(),
  };
}
