import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  writeSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { codeOf, irregular, unwritable } from "./problems.ts";

/** Writes a file's buffered data to the disk. Passed in, so that a test can provide a disk that fails. */
export type Sync = (fd: number) => Promise<void>;

/** The system's `fdatasync`. */
export const systemSync: Sync = promisify(fdatasync);

/** A file that is only ever appended to. */
export interface AppendFile {
  readonly fd: number;
  readonly path: string;
  readonly stats: Stats;
  /** Whether this opening made the file. */
  readonly created: boolean;
}

/** Opens a file for appending and reading, and creates it if it is missing. Throws for anything but a regular file. */
export function openAppendFile(path: string): AppendFile {
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    // Checked before it is opened, because opening a device or a pipe can already have an effect.
    if (there !== undefined && !there.isFile()) throw irregular(path, kindOf(there));
    // O_NOFOLLOW follows no link, and O_NONBLOCK keeps a pipe that replaces the file meanwhile from blocking. Windows has neither flag, so they
    // count as 0.
    const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
    const fd = openSync(path, there === undefined ? flags | O_CREAT | O_EXCL : flags, 0o600);
    const stats = fstatSync(fd);
    if (stats.isFile()) return { fd, path, stats, created: there === undefined };
    closeSync(fd);
    throw irregular(path, kindOf(stats));
  } catch (error) {
    if (codeOf(error) === "ELOOP") throw irregular(path, "a symbolic link");
    throw codeOf(error)?.startsWith("BYLAW_") === true
      ? error
      : unwritable(path, "open the log", error);
  }
}

/** Appends all of these bytes. If it throws, a part of them may be in the file. */
export function appendBytes({ fd, path }: AppendFile, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(fd, bytes, written, bytes.length - written);
    } catch (error) {
      if (codeOf(error) !== "EINTR") throw unwritable(path, "write the log", error);
    }
  }
}

/** Creates the folder of a file if it is missing, durably, for its owner only. */
export function makeFolderOf(path: string): void {
  try {
    const folder = dirname(path);
    const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = folder; ; made = dirname(made)) {
      syncFolder(dirname(made));
      if (made === first || made === dirname(made)) return;
    }
  } catch (error) {
    throw unwritable(path, "make the folder of the log", error);
  }
}

/** Makes the directory entry of a new or renamed file as durable as the file. */
export function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isDirectory()) return "a folder";
  return stats.isSocket() ? "a socket" : "a device";
}
