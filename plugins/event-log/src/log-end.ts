import { closeSync, fstatSync, lstatSync } from "node:fs";
import { basename, dirname } from "node:path";
import { BylawError, type LogEvent } from "@bylaw/kernel";
import { uncheckedLine } from "@bylaw/log";
import {
  appendBytes,
  openAppendFile,
  syncFolder,
  systemSync,
  type AppendFile,
  type Sync,
} from "./log-file.ts";
import { anchorLine, markAt, markOf, readTail, type Mark } from "./mark.ts";
import { MAX_LINE_BYTES } from "./lines-backwards.ts";
import { diverged, flushFailed, unwritable } from "./problems.ts";
import { isFull, isRotated, lastRotated, moveAside, type Rotation } from "./rotation.ts";
import { setAside } from "./torn.ts";

/** Reports something that an operator should know but that stops nothing. */
export type Warn = (
  code: "BYLAW_LOG_TORN" | "BYLAW_LOG_REPLACED" | "BYLAW_LOG_UNROTATED",
  message: string,
) => void;

export interface LogEndOptions {
  readonly path: string;
  readonly rotation: Rotation;
  readonly warn: Warn;
  readonly sync?: Sync | undefined;
}

const LARGEST_WRITE = 8 * 1_048_576;

/** The open file, and what is known about it. */
interface OpenFile {
  readonly file: AppendFile;
  /** Its size after this process's last write or read; -1: unknown. */
  size: number;
  /** The number of bytes that are certainly on the disk. */
  synced: number;
  /** Whether its directory entry is certainly on the disk. */
  named: boolean;
  mark: Mark | undefined;
  /** The line that must come before the first event. */
  anchor: string;
  /** Whether it holds an event. Only then can it be full. */
  filled: boolean;
}

/** The end of a log file, where events are appended. Every method is called under the lock of the file, one call at a time. */
export class LogEnd {
  readonly #options: LogEndOptions;
  #current: OpenFile | undefined;
  #failure: BylawError | undefined;
  /** The inode of a file that cannot be rotated because its new name is taken. It is reported only once. */
  #unrotated: number | undefined;

  constructor(options: LogEndOptions) {
    this.#options = options;
  }

  /** The last event in the file, whoever wrote it. Opens the current file and repairs its end. */
  find(): Mark | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    const { path, warn } = this.#options;
    try {
      const now = this.#openNow();
      const { size } = fstatSync(now.file.fd);
      if (size < now.size)
        warn(
          "BYLAW_LOG_REPLACED",
          `The end of ${path} was cut off. It is written again from the store`,
        );
      if (size !== now.size) this.#readEnd(now, size);
      if (now.mark === undefined) this.#goOnFromRotated(now);
      return now.mark;
    } catch (error) {
      throw error instanceof BylawError ? error : unwritable(path, "read the log", error);
    }
  }

  /** Appends events whose sequences follow the mark, at least one. They are not durable yet, except those before a rotation. */
  async append(events: readonly LogEvent[]): Promise<Mark> {
    const { path, rotation } = this.#options;
    let now = this.#opened();
    let text = "";
    let bytes = 0;
    let last: LogEvent | undefined;
    const flush = (): void => {
      if (last !== undefined) this.#write(now, text, last);
      [text, bytes, last] = ["", 0, undefined];
    };
    for (const event of events) {
      const line = `${uncheckedLine(event)}\n`;
      const length = Buffer.byteLength(line);
      // The next process could not find such a line at the end, and would write it again.
      if (length > MAX_LINE_BYTES)
        throw unwritable(path, "write the log", new Error(`a line of ${length} bytes`));
      const before = last === undefined ? now.mark : markAt(last);
      const filled = now.filled || last !== undefined;
      if (
        before !== undefined &&
        filled &&
        isFull(rotation, now.size + bytes, before, event, length)
      ) {
        flush();
        now = await this.#rotate(now, before);
      }
      text += line;
      bytes += length;
      last = event;
      if (bytes > LARGEST_WRITE) flush();
    }
    flush();
    return now.mark ?? unfound();
  }

  /** Resolves when the file as last read or written is durable. Throws BYLAW_LOG_UNSYNCED, and from then on always does. */
  async sync(): Promise<void> {
    const now = this.#opened();
    const { path, sync = systemSync } = this.#options;
    const { size } = now;
    if (now.synced === size && now.named) return;
    try {
      if (now.synced !== size) await sync(now.file.fd);
      if (!now.named) syncFolder(dirname(path));
    } catch (error) {
      // A disk may forget a write that failed, and then report success. It is never asked again.
      this.#failure = flushFailed(path, error);
      throw this.#failure;
    }
    now.synced = size;
    now.named = true;
  }

  close(): void {
    if (this.#current !== undefined) closeSync(this.#current.file.fd);
    this.#current = undefined;
  }

  #opened(): OpenFile {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#current ?? unfound();
  }

  /** The file at the path now: the open one, or another that replaced it. */
  #openNow(): OpenFile {
    const { path, warn } = this.#options;
    const current = this.#current;
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (current !== undefined) {
      const { fd, stats } = current.file;
      if (there?.ino === stats.ino && there.dev === stats.dev) return current;
      if (fstatSync(fd).nlink === 0 || !isRotated(path, stats))
        warn(
          "BYLAW_LOG_REPLACED",
          `${path} was removed or replaced. What is missing is written again from the store`,
        );
    }
    this.close();
    return this.#open();
  }

  #open(): OpenFile {
    const file = openAppendFile(this.#options.path);
    const { size } = fstatSync(file.fd);
    // Nobody knows whether the writer of this file lived to flush it.
    this.#current = {
      file,
      size: size === 0 ? 0 : -1,
      synced: 0,
      named: false,
      mark: undefined,
      anchor: "",
      filled: false,
    };
    return this.#current;
  }

  /** Reads what others appended, and repairs what a stopped writer left behind. */
  #readEnd(now: OpenFile, size: number): void {
    const { path, warn } = this.#options;
    if (size < now.synced) now.synced = 0;
    const { mark, open: rest } = readTail(now.file.fd, size);
    const [before, after] = [now.mark?.sequence ?? 0, mark?.sequence ?? 0];
    if (now.size >= 0 && size > now.size && after < before && now.anchor === "")
      throw diverged(path, `The log file went back from event ${before} to event ${after}`);
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

  #goOnFromRotated(now: OpenFile): void {
    const before = lastRotated(this.#options.path);
    if (before === undefined) return;
    now.mark = before.mark;
    now.anchor = anchorLine(before.mark, before.name);
  }

  #write(now: OpenFile, text: string, last: LogEvent): void {
    const bytes = Buffer.from(now.anchor + text, "utf8");
    const { size } = now;
    // Until all of it is written, the end of the file is unknown.
    now.size = -1;
    appendBytes(now.file, bytes);
    now.size = size + bytes.length;
    now.anchor = "";
    now.filled = true;
    now.mark = markAt(last);
  }

  async #rotate(now: OpenFile, last: Mark): Promise<OpenFile> {
    const { path, warn } = this.#options;
    await this.sync();
    const moved = moveAside(path, now.file.fd, now.size, last);
    if (moved === undefined) {
      if (this.#unrotated !== last.sequence)
        warn(
          "BYLAW_LOG_UNROTATED",
          `${path} cannot be rotated, because a file already has the name it should get. It keeps growing`,
        );
      this.#unrotated = last.sequence;
      return now;
    }
    this.close();
    const next = this.#open();
    next.mark = last;
    next.anchor = anchorLine(last, basename(moved));
    return next;
  }
}

function unfound(): never {
  throw new BylawError({
    code: "BYLAW_LOG_UNWRITABLE",
    message: "The log cannot be written before its end is found",
  });
}
