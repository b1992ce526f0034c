import { isUtf8 } from "node:buffer";
import { BylawError } from "@bylaw/kernel";
import { usageError } from "../io/report-error.ts";
import { inputFault, openInput } from "../io/input.ts";
import { LINE_LIMIT_BYTES, TOO_LONG, linesOf } from "../io/split-lines.ts";
import type { LogLine } from "./log-line.ts";
import { readRun, type StorePlace } from "./open-store.ts";
import { runOrLatest, storeOrProject } from "./project-store.ts";

/** The origin of a log: files in the order in which they were written, or a run of a store. */
export type LogSource =
  | { readonly files: readonly string[] }
  | { readonly store: StorePlace; readonly run: string };

/** The options of the commands that read a log. */
export interface SourceOptions {
  readonly store?: string;
  readonly run?: string;
}

/**
 * The log that the command line names: files, or a run of a store. Default: the latest run of the project's store. Throws
 * BYLAW_USAGE_INVALID if both are named or no store is found, and BYLAW_RUN_MISSING if the store has no runs.
 */
export async function sourceOf(
  files: readonly string[],
  options: SourceOptions,
): Promise<LogSource> {
  checkFiles(files, options);
  if (files.length > 0) return { files };
  const store = storeOrProject(options.store);
  return { store, run: await runOrLatest(store, options.run) };
}

/** Throws BYLAW_USAGE_INVALID if files are named together with a store or run, or standard input twice. */
export function checkFiles(files: readonly string[], { store, run }: SourceOptions): void {
  if (files.filter((file) => file === "-").length > 1)
    throw usageError("`-` (standard input) can be given only once");
  if (files.length === 0) return;
  if (store !== undefined) throw usageError("A file and `--store` cannot be given together");
  if (run !== undefined) throw usageError("A file and `--run` cannot be given together");
}

/**
 * Yields the lines of a log in constant memory, read by read. Throws BYLAW_LOG_UNREADABLE for a file that cannot be read, and the
 * errors of a store.
 */
export async function* logLines(source: LogSource): AsyncGenerator<readonly LogLine[]> {
  if ("store" in source) {
    yield* readRun(source.store, source.run);
    return;
  }
  for (const file of source.files) yield* fileLines(file);
}

async function* fileLines(file: string): AsyncGenerator<readonly LogLine[]> {
  // After the last chunk, only a line without a line break is left.
  let terminated = true;
  async function* chunks(): AsyncGenerator<Buffer> {
    let first = true;
    for await (const chunk of openInput(file)) {
      if (first) refuseStore(file, chunk);
      first = false;
      yield chunk;
    }
    terminated = false;
  }
  let line = 0;
  try {
    for await (const lines of linesOf(chunks())) {
      const read = lines.map((bytes): LogLine => {
        line += 1;
        const fault = faultOf(bytes);
        if (fault !== undefined || bytes === TOO_LONG)
          return { file, line, text: "", fault: fault ?? "", terminated };
        return { file, line, text: bytes.toString("utf8"), terminated };
      });
      if (read.length > 0) yield read;
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Throws BYLAW_LOG_UNREADABLE for the file of a store. Without this, every piece of it would be reported as a broken line. */
export function refuseStore(file: string, bytes: Uint8Array): void {
  if (!Buffer.from(bytes.subarray(0, STORE_MAGIC.length)).equals(STORE_MAGIC)) return;
  throw new BylawError({
    code: "BYLAW_LOG_UNREADABLE",
    message: `${file} is an SQLite database, not a log with one event per line`,
    fix: "If it is a store, name it with `--store` and its run with `--run`; `bylaw log runs` lists the runs",
    source: { file },
  });
}

const STORE_MAGIC = Buffer.from("SQLite format 3\0");

/** The reason why bytes are not a line of text. */
export function faultOf(bytes: Buffer | typeof TOO_LONG): string | undefined {
  if (bytes === TOO_LONG) return `The line is longer than ${LINE_LIMIT_BYTES} bytes`;
  return isUtf8(bytes) || isUtf8(withoutCut(bytes)) ? undefined : "The line is not valid UTF-8";
}

// Removes the character that was cut off at the end. A cut line may end anywhere, and is no whole event in any case.
function withoutCut(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes.at(-back) ?? 0;
    if (byte >= 0xc2) return bytes.subarray(0, -back);
    if (byte < 0x80) break;
  }
  return bytes;
}

/** Turns a system error about a log into one with a message and a fix. Returns any other error unchanged. */
export function unreadable(file: string, error: unknown): unknown {
  const message = inputFault(error, file);
  if (message === undefined) return error;
  return new BylawError({
    code: "BYLAW_LOG_UNREADABLE",
    message,
    fix: "Name a file, or - for the standard input",
    source: { file },
    cause: error,
  });
}
