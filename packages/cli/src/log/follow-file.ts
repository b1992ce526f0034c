import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import { ChangeSignal } from "../io/change-signal.ts";
import { filesSince } from "./rotated-files.ts";
import type { GrowingFile, TailLine } from "./growing-file.ts";

/** Receives the lines of a log that is followed. */
export interface Following {
  readonly lines: (lines: readonly TailLine[]) => void | Promise<void>;
  /** Receives notes for a person: a rotation that lost lines, or a file that was cut. */
  readonly note: (text: string) => void;
}

/** How often to check the file if the system reports no change, in milliseconds. */
const POLL_MS = 500;

/**
 * Reads a file as it grows, across rotations, until it is stopped. Between reads it waits for a change in the folder, at most half
 * a second. Rejects with the system's error if the file can no longer be read.
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
      // Checked before reading, so that lines written just before a rename are still read.
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

// A missing or empty file is being rotated. The first line of the new file will say what it continues.
function isMoved(path: string, { stats }: GrowingFile): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || now.size === 0) return false;
  return now.ino !== stats.ino || now.dev !== stats.dev;
}

/** Watches the folder instead of the file, because after a rotation the name belongs to another file. */
function watchFolder(path: string, tell: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), (_, name) => {
      if (name === null || name === basename(path)) tell();
    });
    return watcher.on("error", () => watcher.close());
  } catch {
    // Some file systems report no changes. Then the file is only polled.
    return undefined;
  }
}
