import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { BylawError } from "@bylaw/kernel";
import { unusable } from "./errors.ts";

/** Where the file header says how to read and write the file: 2 means with a write-ahead log, 1 without. */
const FORMAT_BYTES = [18, 19] as const;
/** The largest size in bytes that `readFile` accepts. */
const LARGEST = 2 ** 31 - 1;

/**
 * The bytes of a database whose folder is not writable, as one consistent state. Throws BYLAW_STORE_UNUSABLE if another file holds a part
 * of that state, or if the file is too large or unreadable. Throws BYLAW_STORE_BUSY if the file changed while it was read.
 */
export async function readSnapshot(path: string): Promise<Buffer> {
  const before = stampOf(path);
  refuseUnmerged(path);
  const bytes = await read(path);
  refuseUnmerged(path);
  if (stampOf(path) !== before) {
    const message = `Another process changed ${path} while it was read`;
    throw new BylawError({
      code: "BYLAW_STORE_BUSY",
      message,
      fix: "Try again once no process writes to it.",
    });
  }
  // The file has no write-ahead log, and a database in memory cannot have one.
  for (const at of FORMAT_BYTES) bytes[at] = 1;
  return bytes;
}

/** The error of `watch` on a copy in memory. */
export const notFollowed = (path: string): BylawError =>
  unusable(
    `Cannot follow ${path}: its folder cannot be written, so only its present state can be read`,
    "Read it without following it, or give this user write access to the folder.",
  );

async function read(path: string): Promise<Buffer> {
  try {
    if (statSync(path).size > LARGEST) {
      throw unusable(
        `${path} is larger than 2 GiB, and its folder cannot be written`,
        "Copy the file to a folder that you can write, and read the copy.",
      );
    }
    return await readFile(path);
  } catch (error) {
    if (error instanceof BylawError) throw error;
    const { code = "unknown error" } = error as { code?: string };
    throw unusable(
      `Cannot read ${path} (${code})`,
      "Give this user read access to the file.",
      error,
    );
  }
}

// Without the log, the newest events would be missing without notice.
function refuseUnmerged(path: string): void {
  for (const suffix of ["-wal", "-journal"]) {
    if ((statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0) === 0) continue;
    throw unusable(
      `${path}${suffix} holds changes that ${path} does not have yet, and reading them needs write access to the folder`,
      `Copy ${path} and ${path}${suffix} to a folder that you can write, and read the copy.`,
    );
  }
}

function stampOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
