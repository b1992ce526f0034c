import { closeSync, fstatSync, lstatSync } from "node:fs";
import { basename, dirname } from "node:path";
import { BylawError, type LogEvent } from "@bylaw/kernel";
import {
  appendBytes,
  openAppendFile,
  syncFolder,
  systemSync,
  type AppendFile,
  type Sync,
} from "./log-file.ts";
import { anchorLine, lineOf, markAt, markOf, readTail, type Mark } from "./mark.ts";
import { LONGEST } from "./lines-backwards.ts";
import { diverged, flushFailed, unwritable } from "./problems.ts";
import { isFull, isRotated, lastRotated, moveAside, type Rotation } from "./rotation.ts";
import { setAside } from "./torn.ts";

/** Something that an operator should know and that stops nothing. */
export type Warn = (
  code: "BYLAW_LOG_TORN" | "BYLAW_LOG_REPLACED" | "BYLAW_LOG_UNROTATED",
  message: string,
) => void;

/** The end of a log file, where events are appended. All of it is called under the lock of the file, and one call at a time. */
export interface LogEnd {
  /** How far the file has come, whoever wrote it. Opens the file that stands there now, and repairs its end. */
  find(): Mark | undefined;
  /** Appends events whose numbers follow the mark, at least one. They are not durable yet, those before a rotation excepted. */
  append(events: readonly LogEvent[]): Promise<Mark>;
  /** Resolves when the file as it was found or written last is durable. Throws BYLAW_LOG_UNSYNCED, from then on always. */
  sync(): Promise<void>;
  close(): void;
}

export interface LogEndOptions {
  readonly path: string;
  readonly rotation: Rotation;
  readonly warn: Warn;
  readonly sync?: Sync | undefined;
}

const LARGEST_WRITE = 8 * 1_048_576;

interface Current {
  readonly file: AppendFile;
  /** How far its end is known. */
  size: number;
  /** How much of it is on the disk for sure. */
  synced: number;
  /** Whether its name is on the disk for sure. */
  named: boolean;
  mark: Mark | undefined;
  /** What must stand before the first event. */
  anchor: string;
  /** Whether it holds an event, so that it may be full. */
  filled: boolean;
}

/** Finds the end of a file. Opens nothing yet. */
export function createLogEnd({
  path,
  rotation,
  warn,
  sync: toDisk = systemSync,
}: LogEndOptions): LogEnd {
  let current: Current | undefined;
  let failure: BylawError | undefined;
  let taken = "";

  function close(): void {
    if (current !== undefined) closeSync(current.file.fd);
    current = undefined;
  }

  function open(): Current {
    const file = openAppendFile(path);
    const { size } = fstatSync(file.fd);
    // Nobody knows whether who wrote what stands there lived to synchronise it.
    current = {
      file,
      size: -1,
      synced: 0,
      named: false,
      mark: undefined,
      anchor: "",
      filled: false,
    };
    if (size === 0) current.size = 0;
    return current;
  }

  // What others appended, and what a stopped writer left behind.
  function read(now: Current, size: number): void {
    if (size < now.synced) now.synced = 0;
    const { mark, open: rest } = readTail(now.file.fd, size);
    if (
      now.size >= 0 &&
      size > now.size &&
      (mark?.sequence ?? 0) < (now.mark?.sequence ?? 0) &&
      now.anchor === ""
    ) {
      throw diverged(
        path,
        `The log file went back from event ${now.mark?.sequence ?? 0} to event ${mark?.sequence ?? 0}`,
      );
    }
    now.size = -1;
    if (rest !== undefined) {
      if (markOf(rest.text) === undefined) {
        const copy = setAside(now.file, rest.start, size);
        warn(
          "BYLAW_LOG_TORN",
          `The line at byte ${rest.start} of ${path} was cut off. A copy of it is in ${copy}`,
        );
      }
      appendBytes(now.file, Buffer.from("\n"));
    }
    now.mark = mark;
    now.filled = mark !== undefined && mark.event["event_type"] !== "log_anchor";
    now.anchor = "";
    now.size = fstatSync(now.file.fd).size;
  }

  function goOnFromRotated(now: Current): void {
    const before = lastRotated(path);
    if (before === undefined) return;
    now.mark = before.mark;
    now.anchor = anchorLine(before.mark, before.name);
  }

  function find(): Mark | undefined {
    if (failure !== undefined) throw failure;
    try {
      const there = lstatSync(path, { throwIfNoEntry: false });
      const { file } = current ?? {};
      let now = current;
      if (
        now === undefined ||
        there === undefined ||
        there.ino !== file?.stats.ino ||
        there.dev !== file.stats.dev
      ) {
        if (
          file !== undefined &&
          (fstatSync(file.fd).nlink === 0 || !isRotated(path, file.stats))
        ) {
          warn(
            "BYLAW_LOG_REPLACED",
            `${path} was removed or replaced. What is missing is written again from the store`,
          );
        }
        close();
        now = open();
      }
      const { size } = fstatSync(now.file.fd);
      if (size < now.size) {
        warn(
          "BYLAW_LOG_REPLACED",
          `The end of ${path} was cut off. It is written again from the store`,
        );
      }
      if (size !== now.size) read(now, size);
      if (now.mark === undefined) goOnFromRotated(now);
      return now.mark;
    } catch (error) {
      throw error instanceof BylawError ? error : unwritable(path, "read the log", error);
    }
  }

  function write(now: Current, text: string, last: LogEvent): void {
    const bytes = Buffer.from(now.anchor + text, "utf8");
    const { size } = now;
    // Until all of it is there, the end of the file is not known.
    now.size = -1;
    appendBytes(now.file, bytes);
    now.size = size + bytes.length;
    now.anchor = "";
    now.filled = true;
    now.mark = markAt(last);
  }

  async function rotate(now: Current, last: Mark): Promise<Current> {
    await sync();
    const moved = moveAside(path, now.file.fd, now.size, last);
    if (moved === undefined) {
      const name = `${last.sequence}`;
      if (taken !== name)
        warn(
          "BYLAW_LOG_UNROTATED",
          `${path} cannot be rotated, because a file already has the name it should get. It keeps growing`,
        );
      taken = name;
      return now;
    }
    close();
    const next = open();
    next.mark = last;
    next.anchor = anchorLine(last, basename(moved));
    return next;
  }

  async function append(events: readonly LogEvent[]): Promise<Mark> {
    let now = opened();
    let text = "";
    let bytes = 0;
    let last: LogEvent | undefined;
    for (const event of events) {
      const line = lineOf(event);
      const length = Buffer.byteLength(line);
      // Who opens the file next would not find it at the end, and write it once more.
      if (length > LONGEST)
        throw unwritable(path, "write the log", new Error(`a line of ${length} bytes`));
      const before = last === undefined ? now.mark : markAt(last);
      if (
        before !== undefined &&
        (now.filled || last !== undefined) &&
        isFull(rotation, now.size + bytes, before, event, length)
      ) {
        if (last !== undefined) write(now, text, last);
        now = await rotate(now, before);
        text = "";
        bytes = 0;
        last = undefined;
      }
      text += line;
      bytes += length;
      last = event;
      if (bytes > LARGEST_WRITE) {
        write(now, text, last);
        text = "";
        bytes = 0;
        last = undefined;
      }
    }
    if (last !== undefined) write(now, text, last);
    return now.mark ?? unfound();
  }

  async function sync(): Promise<void> {
    const now = opened();
    const { size } = now;
    if (now.synced === size && now.named) return;
    try {
      if (now.synced !== size) await toDisk(now.file.fd);
      if (!now.named) syncFolder(dirname(path));
    } catch (error) {
      // What a disk once refused it may forget and then say that all is well: never asked again.
      failure = flushFailed(path, error);
      throw failure;
    }
    now.synced = size;
    now.named = true;
  }

  function opened(): Current {
    if (failure !== undefined) throw failure;
    return current ?? unfound();
  }

  return { find, append, sync, close };
}

function unfound(): never {
  throw new BylawError({
    code: "BYLAW_LOG_UNWRITABLE",
    message: "The log cannot be written before its end is found",
  });
}
