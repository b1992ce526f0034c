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

/** No database is smaller, but for one that is empty. */
const SMALLEST = 512;

export interface StoreFile {
  readonly path: string;
  /** Notes which files these are, once all of them are there. */
  mark(): void;
  /** Throws BYLAW_STORE_FAILED where one of them was deleted or replaced: what is written then is nobody's. */
  check(): void;
}

/**
 * Makes sure that there is a file only its owner may read; `create: false`: does not make it. Throws BYLAW_STORE_UNUSABLE for what is no file of its own. An
 * existing file is never opened here: closing it would end the locks that another store in this process holds on it.
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
    // Nothing in a folder goes or comes without a change of the folder itself, so mostly one question does for three.
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

/** Two changes so close to each other may bear one time. */
const RECENT_MS = 3_000;

/** Which folder it is and when what is in it last changed; `undefined` where that is too recent to tell it from a later change. */
function stampOf(folder: string, now: number): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  // The time of change cannot be set by anybody, other than that of modification.
  if (found === undefined || !(now - found.ctimeMs > RECENT_MS)) return undefined;
  return `${found.dev}:${found.ino}:${found.ctimeMs}`;
}

function checkFound(path: string, found: Stats): void {
  const other = "Name another file, or move this one away";
  if (found.isDirectory()) throw unusable(`${path} is a folder`, "Name a file in it");
  // Through a link somebody else chooses what is written, and two names of one file have two logs of their own beside them.
  if (found.isSymbolicLink())
    throw unusable(`${path} is a symbolic link`, "Name the file that it points to");
  if (!found.isFile()) throw unusable(`${path} is a device, pipe or socket`, other);
  // The engine would take it for an empty database.
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
    // The engine makes the name of the file durable; those of new folders it does not know about.
    if (first !== undefined)
      for (let one = folder; ; one = dirname(one)) {
        syncFolder(dirname(one));
        if (one === first) break;
      }
  } catch (error) {
    // Another process may have been quicker; what it made is checked like any other file.
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
