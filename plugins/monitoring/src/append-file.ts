import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { BylawError, messageOf } from "@bylaw/kernel";

/** A file of lines that is only ever appended to. */
export interface LineFile {
  /** The lines from the last one backwards, read as needed. Text after the last line break comes first. */
  backwards(): Generator<string>;
  /** Whether nobody else has written since our last `append`. */
  readonly ours: boolean;
  /** Appends lines in one write, after a line break if the last line has none. */
  append(lines: readonly string[]): void;
  close(): void;
}

const BLOCK = 65_536;

/** Opens a file for appending. Creates it and its folder, for the owner only. Throws BYLAW_METRICS_UNWRITABLE, also for a link. */
export function openLineFile(path: string): LineFile {
  const fd = opened(path);
  let known = -1;
  const size = (): number => fstatSync(fd).size;

  function* backwards(): Generator<string> {
    // Splits bytes, because a block may end in the middle of a character.
    let rest = Buffer.alloc(0);
    for (let at = size(); at > 0;) {
      const length = Math.min(BLOCK, at);
      at -= length;
      const block = Buffer.alloc(length);
      readSync(fd, block, 0, length, at);
      rest = Buffer.concat([block, rest]);
      for (let end = rest.lastIndexOf(10); end >= 0; end = rest.lastIndexOf(10)) {
        yield rest.toString("utf8", end + 1);
        rest = rest.subarray(0, end);
      }
    }
    if (rest.length > 0) yield rest.toString("utf8");
  }

  return {
    backwards,
    get ours() {
      return size() === known;
    },
    append(lines) {
      try {
        // Our own writes end with a line break, so it is only checked after others wrote.
        const [last = ""] = size() === known ? [""] : backwards();
        // Half a line from a killed writer stays on its own line.
        const bytes = Buffer.from(`${last === "" ? "" : "\n"}${lines.join("\n")}\n`);
        for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
        known = size();
      } catch (error) {
        throw unwritable(path, error);
      }
    },
    close() {
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    },
  };
}

function opened(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) throw new Error("it is no regular file");
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    return openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(file: string, error: unknown): BylawError {
  const why =
    typeof error === "object" && error !== null && "code" in error
      ? String(error.code)
      : messageOf(error);
  return new BylawError({
    code: "BYLAW_METRICS_UNWRITABLE",
    message: `Cannot append to the file (${why})`,
    fix: "Let the process write the file that `monitoring.export` or `audit_log` of the contract names, or name another",
    source: { file },
    cause: error,
  });
}
