import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
  type Stats,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf } from "@bylaw/kernel";
import { fileReplaced, unusable } from "./errors.ts";

/** The size in bytes of the smallest possible database that is not empty. */
const SMALLEST = 512;

export interface StoreFile {
  readonly path: string;
  /** Remembers the identity of the database, `-wal` and `-shm` files. Call it once all three exist. */
  mark(): void;
  /** Throws BYLAW_STORE_FAILED if one of them was deleted or replaced, because writes then no longer reach the named file. */
  check(): void;
}

/**
 * Makes sure that the file exists and that only its owner may read it. With `create: false`, the file must exist already. Throws
 * BYLAW_STORE_UNUSABLE for anything but a regular file with one name.
 *
 * Never opens an existing file, because closing it again releases the locks of other stores in this process.
 */
export function prepareFile(
  name: string,
  { create: mayCreate = true, now = Date.now } = {},
): StoreFile {
  if (name === "" || name === ":memory:")
    throw unusable(
      `A SQLite store needs the name of a file, not ${name === "" ? "an empty one" : name}`,
      "Use createMemoryStore of @bylaw/log",
    );
  const path = resolve(name);
  if (path !== path.trim() || path.includes("\0"))
    throw unusable(
      `${JSON.stringify(path)} ends in a space or holds a NUL byte`,
      "Rename the file",
    );
  const found = statOf(path);
  if (found === undefined) {
    if (!mayCreate)
      throw unusable(`File not found: ${path}`, "Name the file that the runs were written to");
    create(path);
  } else checkFound(path, found);
  const folder = dirname(path);
  let marked: readonly (readonly [string, string | undefined])[] = [];
  let unchanged: string | undefined;
  function check(): void {
    // Deleting or replacing a file changes its folder. So one check of the folder usually replaces three of the files.
    const stamp = stampOf(folder, now());
    if (stamp !== undefined && stamp === unchanged) return;
    for (const [one, identity] of marked) if (identityOf(one) !== identity) throw fileReplaced(one);
    unchanged = stamp;
  }
  return {
    path,
    mark() {
      marked = [path, `${path}-wal`, `${path}-shm`].map((one) => [one, identityOf(one)]);
    },
    check,
  };
}

/** File systems may give the same timestamp to two changes that are this close together. */
const RECENT_MS = 3_000;

/** The identity of the folder and the time of its last change. `undefined` if that is too recent to notice another change by it. */
function stampOf(folder: string, now: number): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  // Unlike the modification time, a program cannot set the change time.
  if (found === undefined || !(now - found.ctimeMs > RECENT_MS)) return undefined;
  return `${found.dev}:${found.ino}:${found.ctimeMs}`;
}

function checkFound(path: string, found: Stats): void {
  const other = "Name another file, or move this one away";
  if (found.isDirectory()) throw unusable(`${path} is a folder`, "Name a file in it");
  // Somebody else can redirect a link. And SQLite keeps a separate log beside each name of a file.
  if (found.isSymbolicLink())
    throw unusable(`${path} is a symbolic link`, "Name the file that it points to");
  if (!found.isFile()) throw unusable(`${path} is a device, pipe or socket`, other);
  // SQLite takes such a file for an empty database.
  if (found.size > 0 && found.size < SMALLEST)
    throw unusable(`${path} has only ${found.size} bytes, so it is no database`, other);
  if (found.nlink > 1)
    throw unusable(`${path} has several names (hard links)`, "Remove the other names");
}

function create(path: string): void {
  const folder = dirname(path);
  try {
    const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600));
    // SQLite syncs the folder of the file, but not the new folders above it.
    if (first !== undefined)
      for (let one = folder; ; one = dirname(one)) {
        syncFolder(dirname(one));
        if (one === first) break;
      }
  } catch (error) {
    // Another process may have created the file first. It is checked like any existing file.
    const found = statOf(path);
    if (found !== undefined) checkFound(path, found);
    else
      throw unusable(
        `Cannot create ${path} (${messageOf(error)})`,
        "Give this user write access to the folder",
        error,
      );
  }
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unusable(
      `Cannot read ${path} (${messageOf(error)})`,
      "Name a file in a folder that this user may enter",
      error,
    );
  }
}

function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
