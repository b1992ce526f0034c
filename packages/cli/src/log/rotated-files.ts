import { basename, dirname, join } from "node:path";
import { ANCHOR_TYPE, parseEventLine } from "@bylaw/log";
import type { LogEvent } from "@bylaw/kernel";
import { openGrowing, type GrowingFile } from "./growing-file.ts";

// More files than anybody rotates between two looks.
const MOST = 1_000;

/** The files of a log behind one of them, oldest first, each open at its beginning. */
export interface LaterFiles {
  readonly files: readonly GrowingFile[];
  /** Whether they go back to the file that was read. */
  readonly complete: boolean;
}

/**
 * The files that a log was rotated into since one of its files was read: the one that stands at the path now, and those that its
 * anchor names before it. `undefined`: nothing stands at the path at this moment.
 */
export function filesSince(path: string, read: GrowingFile): LaterFiles | undefined {
  const files: GrowingFile[] = [];
  try {
    files.push(openGrowing(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    for (
      let name = previousOf(files[0]);
      name !== undefined && files.length < MOST;
      name = previousOf(files[0])
    ) {
      const before = openGrowing(join(dirname(path), name));
      if (isSame(before, read)) {
        before.close();
        return { files, complete: true };
      }
      files.unshift(before);
    }
  } catch {
    // What an anchor names may be gone: then what can be read is read, and what is missing is told.
  }
  return { files, complete: false };
}

/** Whether two are one file, under whatever names. */
const isSame = ({ stats: one }: GrowingFile, { stats: other }: GrowingFile): boolean =>
  one.ino === other.ino && one.dev === other.dev;

// The name that the anchor of a file has for the file before it, in the same folder.
function previousOf(file: GrowingFile | undefined): string | undefined {
  if (file === undefined) return undefined;
  for (const [line] of file.read()) {
    file.rewind();
    const anchor = line === undefined ? undefined : anchorOn(line.text);
    const name = anchor?.details["previous_file"];
    // A name and no path: an anchor leads to no other folder.
    return typeof name === "string" && name !== "" && basename(name) === name && name !== ".."
      ? name
      : undefined;
  }
  file.rewind();
  return undefined;
}

function anchorOn(text: string): LogEvent | undefined {
  try {
    const event = parseEventLine(text);
    return event.event_type === ANCHOR_TYPE ? event : undefined;
  } catch {
    return undefined;
  }
}
