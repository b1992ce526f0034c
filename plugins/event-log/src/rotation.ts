import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
} from "node:fs";
import { dirname, join, parse } from "node:path";
import type { LogEvent } from "@bylaw/kernel";
import { syncFolder } from "./log-file.ts";
import { markOf, readTail, type Mark } from "./mark.ts";
import { readAt } from "./read-at.ts";
import { unwritable } from "./problems.ts";

/** When a file is full. */
export interface Rotation {
  /** The size that a file does not exceed, except for a single event that is larger. */
  readonly bytes?: number | undefined;
  /** Whether the first event of a new day, in UTC, begins a new file. */
  readonly daily: boolean;
}

const FIRST_LINE = 4_194_304;
const padded = (sequence: number): string => String(sequence).padStart(12, "0");

/** Whether an event belongs into a new file. `size`: the size of the file without it. */
export function isFull(
  { bytes, daily }: Rotation,
  size: number,
  last: Mark,
  event: LogEvent,
  length: number,
): boolean {
  if (bytes !== undefined && size + length > bytes) return true;
  const day = String(last.event["timestamp"]).slice(0, 10);
  return daily && day < event.timestamp.slice(0, 10);
}

/** Renames a full file after the events that it holds; `undefined` if that name is taken. The path is then free. */
export function moveAside(path: string, fd: number, size: number, last: Mark): string | undefined {
  const { dir, name, ext } = parse(path);
  const moved = join(dir, `${name}.${padded(firstOf(fd, size))}-${padded(last.sequence)}${ext}`);
  try {
    if (lstatSync(moved, { throwIfNoEntry: false }) !== undefined) return undefined;
    renameSync(path, moved);
    syncFolder(dir);
    return moved;
  } catch (error) {
    throw unwritable(path, "rotate the log", error);
  }
}

/** The last rotated file of a log, and its last event. */
export function lastRotated(
  path: string,
): { readonly name: string; readonly mark: Mark } | undefined {
  for (const name of rotatedFiles(path)) {
    const mark = lastMark(join(dirname(path), name));
    if (mark !== undefined) return { name, mark };
  }
  return undefined;
}

/** Whether one of a log's rotated files is this very file. */
export function isRotated(path: string, { ino, dev }: Stats): boolean {
  return rotatedFiles(path).some((name) => {
    const stats = lstatSync(join(dirname(path), name), { throwIfNoEntry: false });
    return stats?.ino === ino && stats.dev === dev;
  });
}

// Their names, the last one first.
function rotatedFiles(path: string): readonly string[] {
  const { name, ext } = parse(path);
  return readdirSync(dirname(path))
    .filter((file) => file.startsWith(`${name}.`) && file.endsWith(ext))
    .map((file) => ({ file, range: file.slice(name.length + 1, file.length - ext.length) }))
    .filter(({ range }) => /^\d{12,}-\d{12,}$/.test(range))
    .sort((one, other) => Number(other.range.split("-")[1]) - Number(one.range.split("-")[1]))
    .map(({ file }) => file);
}

function lastMark(path: string): Mark | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw unwritable(path, "read the file before this one", error);
  }
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? readTail(fd, stats.size).mark : undefined;
  } finally {
    closeSync(fd);
  }
}

// The sequence of the first event of a file: on its first line, or on the line after its anchor. 0 if that line cannot be read.
function firstOf(fd: number, size: number): number {
  const bytes = readAt(fd, 0, Math.min(size, FIRST_LINE));
  const end = bytes.indexOf(0x0a);
  const mark = markOf(
    bytes
      .subarray(0, end === -1 ? bytes.length : end)
      .toString("utf8")
      .replace(/^\ufeff/, ""),
  );
  if (mark === undefined) return 0;
  return mark.event["event_type"] === "log_anchor" ? mark.sequence + 1 : mark.sequence;
}
