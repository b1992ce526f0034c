import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import { ChangeSignal } from "../io/change-signal.ts";
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
  const signal = new ChangeSignal();
  const watcher = watchFolder(path, signal.tell);
  stopped.addEventListener("abort", signal.tell);

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
      await signal.wait(POLL_MS);
    }
  } finally {
    file.close();
    watcher?.close();
  }
}

// A file that is missing or empty for a moment is being rotated. The first line of the next file says what it continues.
function isMoved(path: string, { stats }: GrowingFile): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || now.size === 0) return false;
  return now.ino !== stats.ino || now.dev !== stats.dev;
}

/** Watches the folder instead of the file, because a rotation gives the name to another file. */
function watchFolder(path: string, tell: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), (_, name) => {
      if (name === null || name === basename(path)) tell();
    });
    return watcher.on("error", () => watcher.close());
  } catch {
    // Not every file system tells; then the clock alone does.
    return undefined;
  }
}
