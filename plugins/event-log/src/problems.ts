import { BylawError, messageOf } from "@bylaw/kernel";

/** The code of a failed system call: `ENOSPC`. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : undefined;

const FIX: Readonly<Record<string, string>> = {
  ENOSPC: "make room; the log catches up with the next event",
  EDQUOT: "make room; the log catches up with the next event",
  EFBIG: "let the process write larger files, or rotate earlier; the log catches up with the next event",
  EROFS: "name a `file` in a folder that can be written",
  EACCES: "let the process write this file and its folder, or name another `file`",
  EPERM: "let the process write this file and its folder, or name another `file`",
  ENOTDIR: "name a `file` whose folders are folders",
};

/** The file, or what belongs to it, could not be opened, read or written. */
export function unwritable(file: string, what: string, error: unknown): BylawError {
  const why = codeOf(error) ?? messageOf(error);
  const fix = FIX[why] ?? "see why the system refuses it, then record again: the log catches up";
  const message = `Unexpected failure to ${what} (${why}), expected a log that can be written`;
  return new BylawError({ code: "BYLAW_LOG_UNWRITABLE", message, fix, source: { file }, cause: error });
}

/** What stands in the place of the file is none. */
export const irregular = (file: string, what: string): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_IRREGULAR",
    message: `Unexpected ${what} in the place of a log, expected a regular file`,
    fix: "remove it, or name another `file`; a log is never written through links, pipes or devices",
    source: { file },
  });

/** The disk did not say that it has what was written. */
export const unsynced = (file: string, error: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_UNSYNCED",
    message: `Unexpected failure to synchronise the log with its disk (${codeOf(error) ?? messageOf(error)}), expected it to be durable`,
    fix: "check the disk, then open the run again; until then nothing more is recorded in it",
    source: { file },
    cause: error,
  });

/** Another process keeps the lock. */
export const busy = (file: string, waited_ms: number): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_BUSY",
    message: `Unexpected lock of another process for ${waited_ms} ms, expected a turn at the log`,
    fix: "see which process has the lock file open; a process that ended holds none",
    source: { file },
  });

/** The file tells another story than the store. */
export const diverged = (file: string, what: string, wanted: string): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_DIVERGED",
    message: `Unexpected log file that ${what}, expected ${wanted}`,
    fix: "open the run with the store that belongs to this file, or move the file away: a new one is written whole from the store",
    source: { file },
  });
