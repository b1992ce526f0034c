import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** A repository of git, as it is found from a folder of its working tree. */
export interface Repository {
  /** The top folder of the working tree. */
  readonly top: string;
  /** The folder of the index. */
  readonly folder: string;
}

const MAX_TEXT = 1_048_576;
const MAX_INDEX = 33_554_432;

/** The repository that git uses in a folder whose path has no links, or `none`. Undefined if that is not certain. */
export function repositoryAt(folder: string): Repository | "none" | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const git = `${top === "/" ? "" : top}/.git`;
    const kind = kindOf(git);
    if (kind === "folder") return isUsual(git) ? { top, folder: git } : undefined;
    if (kind === "file") {
      const [, path] = /^gitdir: (.+?)\n?$/.exec(readText(git) ?? "") ?? [];
      const other = path === undefined ? undefined : resolve(top, path);
      return other !== undefined && isUsual(other) ? { top, folder: other } : undefined;
    }
    // A folder with a `HEAD` may be a repository without a working tree.
    if (kind !== "nothing" || kindOf(`${top}/HEAD`) !== "nothing") return undefined;
    if (top === dirname(top)) return "none";
  }
}

/** The folder that a repository shares with its linked working trees. Undefined if that is not certain. */
export function commonFolder(folder: string): string | undefined {
  const shared =
    kindOf(`${folder}/commondir`) === "nothing" ? "." : readText(`${folder}/commondir`);
  return shared === undefined ? undefined : resolve(folder, shared.trim());
}

// Whether git accepts the folder as a repository, and its configuration names no other working tree.
function isUsual(folder: string): boolean {
  const common = commonFolder(folder);
  if (common === undefined) return false;
  const settings = [`${common}/config`, `${folder}/config.worktree`].map((file) =>
    kindOf(file) === "nothing" ? "" : readText(file),
  );
  return (
    /^(ref: refs\/|[0-9a-f]{40})/.test(readText(`${folder}/HEAD`) ?? "") &&
    kindOf(`${common}/objects`) === "folder" &&
    kindOf(`${common}/refs`) === "folder" &&
    settings.every((text) => text !== undefined && !/\bworktree\b/i.test(text))
  );
}

function kindOf(path: string): "nothing" | "folder" | "file" | "other" {
  try {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return "nothing";
    return entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? "nothing" : "other";
  }
}

/** The text of a file, one character for each byte. Undefined if it is no file or has more than 1 MiB. */
export const readText = (path: string): string | undefined =>
  readBytes(path, MAX_TEXT)?.toString("latin1");

function readBytes(path: string, most: number): Buffer | undefined {
  try {
    const entry = statSync(path);
    return entry.isFile() && entry.size <= most ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** What git tracks. */
export interface Index {
  readonly entries: readonly Entry[];
  /** When the index was written, in nanoseconds. */
  readonly time: bigint;
}

interface Entry {
  /** From the top of the working tree. */
  readonly name: string;
  readonly fields: Buffer;
}

/**
 * Reads the index of a repository. Undefined if the index is not whole in its file, or uses another hash than SHA-1. Without `submodules`,
 * also if it names another repository.
 */
export function readIndex(
  { folder }: Repository,
  { submodules = false }: { readonly submodules?: boolean } = {},
): Index | undefined {
  const file = `${folder}/index`;
  if (kindOf(file) === "nothing") return { entries: [], time: 0n };
  const time = timeOf(file);
  const bytes = readBytes(file, MAX_INDEX);
  if (bytes === undefined || bytes.length < HEAD_SIZE + HASH_SIZE) return undefined;
  const body = bytes.subarray(0, -HASH_SIZE);
  if (!createHash("sha1").update(body).digest().equals(bytes.subarray(-HASH_SIZE)))
    return undefined;
  try {
    const entries = entriesIn(body, submodules);
    return time === undefined || entries === undefined ? undefined : { entries, time };
  } catch {
    return undefined;
  }
}

function timeOf(file: string): bigint | undefined {
  try {
    return statSync(file, { bigint: true }).mtimeNs;
  } catch {
    return undefined;
  }
}

const HEAD_SIZE = 12;
const HASH_SIZE = 20;
// The fields before the mode, the mode itself, and all fields with the flags.
const MODE_AT = 24;
const ENTRY_SIZE = 62;
const REPOSITORY = 0o16;
const FOLDER = 0o04;

// See gitformat-index(5).
function entriesIn(body: Buffer, submodules: boolean): readonly Entry[] | undefined {
  const version = body.readUInt32BE(4);
  if (body.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const entries: Entry[] = [];
  let at = HEAD_SIZE;
  let last = "";
  for (let left = body.readUInt32BE(8); left > 0; left--) {
    const type = body.readUInt32BE(at + MODE_AT) >>> 12;
    if (type === FOLDER || (type === REPOSITORY && !submodules)) return undefined;
    const isExtended = (body.readUInt16BE(at + ENTRY_SIZE - 2) & 0x4000) !== 0;
    let from = at + ENTRY_SIZE + (isExtended ? 2 : 0);
    const fields = body.subarray(at, from);
    let kept = "";
    if (version === 4) {
      const cut = readOffset(body, from);
      if (cut.value > last.length) return undefined;
      kept = last.slice(0, last.length - cut.value);
      from = cut.end;
    }
    const end = body.indexOf(0, from);
    if (end < 0) return undefined;
    last = kept + body.toString("latin1", from, end);
    entries.push({ name: last, fields });
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return hasAllNames(body, at) ? entries : undefined;
}

// Version 4 writes a number in groups of seven bits. Every byte but the last has its high bit set.
function readOffset(body: Buffer, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let byte = body.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = body.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at };
}

// An extension in lower case is needed to read the index, such as the names of a split index.
function hasAllNames(body: Buffer, from: number): boolean {
  let at = from;
  while (at < body.length) {
    if (!/^[A-Z]/.test(body.toString("latin1", at, at + 4))) return false;
    at += 8 + body.readUInt32BE(at + 4);
  }
  return at === body.length;
}
