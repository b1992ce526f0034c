import { basename, dirname, join } from "node:path";
import { ANCHOR_TYPE, parseEventLine } from "@bylaw/log";
import type { LogEvent } from "@bylaw/kernel";
import { openGrowing, type GrowingFile } from "./growing-file.ts";

// More rotations than ever happen between two checks.
const MAX_FILES = 1_000;

/** The files of a log after one of them, oldest first, each open at its beginning. */
export interface LaterFiles {
  readonly files: readonly GrowingFile[];
  /** Whether no file is missing between the one that was read and these. */
  readonly complete: boolean;
}

/**
 * The files written after `read`: the file at the path, and those before it, which each file names in its anchor. Undefined if
 * there is no file at the path at this moment.
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
      name !== undefined && files.length < MAX_FILES;
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
    // A file that an anchor names may be gone. Then the later files are read, and `complete` is false.
  }
  return { files, complete: false };
}

/** Whether two open files are the same one, whatever their names. */
const isSame = ({ stats: one }: GrowingFile, { stats: other }: GrowingFile): boolean =>
  one.ino === other.ino && one.dev === other.dev;

// The file before this one, which the anchor names. It is in the same folder.
function previousOf(file: GrowingFile | undefined): string | undefined {
  if (file === undefined) return undefined;
  for (const [line] of file.read()) {
    file.rewind();
    const anchor = line === undefined ? undefined : anchorOn(line.text);
    const name = anchor?.details["previous_file"];
    // Only a plain name, so that an anchor cannot lead to another folder.
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
