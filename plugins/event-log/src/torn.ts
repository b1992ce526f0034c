import {
  constants,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { readAt } from "./read-at.ts";
import { syncFolder, type AppendFile } from "./log-file.ts";
import { codeOf, unwritable } from "./problems.ts";

const CHUNK = 1_048_576;
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Copies the partial line of a stopped writer to `<file>.torn-<n>`, durably, and returns the path of the copy. The bytes also stay
 * in the file. Repeated calls copy once.
 */
export function setAside({ fd, path }: AppendFile, start: number, size: number): string {
  for (let n = 1; ; n += 1) {
    const copy = `${path}.torn-${n}`;
    let to: number;
    try {
      to = openSync(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw unwritable(copy, "set a torn line aside", error);
      if (isCopy(copy, fd, start, size)) return copy;
      continue;
    }
    try {
      for (let at = start; at < size; at += CHUNK) {
        const bytes = readAt(fd, at, Math.min(CHUNK, size - at));
        for (let done = 0; done < bytes.length;) done += writeSync(to, bytes, done);
      }
      fsyncSync(to);
      syncFolder(dirname(copy));
      return copy;
    } catch (error) {
      // Half a copy takes up more room with every attempt.
      rmSync(copy, { force: true });
      throw unwritable(copy, "set a torn line aside", error);
    } finally {
      closeSync(to);
    }
  }
}

function isCopy(copy: string, fd: number, start: number, size: number): boolean {
  try {
    // Checked before it is opened, because a pipe in its place blocks for ever.
    const stats = lstatSync(copy);
    return (
      stats.isFile() &&
      stats.size === size - start &&
      readFileSync(copy).equals(readAt(fd, start, stats.size))
    );
  } catch {
    return false;
  }
}
