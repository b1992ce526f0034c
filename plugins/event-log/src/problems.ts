import { BylawError, messageOf } from "@bylaw/kernel";

/** The code of a failed system call: `ENOSPC`. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;

const FIX: Readonly<Record<string, string>> = {
  ENOSPC: "Make room on the disk. The log catches up with the next event",
  EDQUOT: "Make room on the disk. The log catches up with the next event",
  EFBIG:
    "Let the process write larger files, or rotate earlier. The log catches up with the next event",
  EROFS: "Set `file` to one in a folder that can be written",
  EACCES: "Let the process write this file and its folder, or set another `file`",
  EPERM: "Let the process write this file and its folder, or set another `file`",
  ENOTDIR: "Set `file` to one in a real folder",
};

/** An error: the file, or one that belongs to it, could not be opened, read or written. */
export function unwritable(file: string, what: string, error: unknown): BylawError {
  const why = codeOf(error) ?? messageOf(error);
  const fix =
    FIX[why] ?? "Find out why the system refuses it, then record again. The log catches up";
  const message = `Cannot ${what} (${why})`;
  return new BylawError({
    code: "BYLAW_LOG_UNWRITABLE",
    message,
    fix,
    source: { file },
    cause: error,
  });
}

/** An error: something other than a regular file is in its place. */
export const irregular = (file: string, what: string): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_IRREGULAR",
    message: `A log must be a regular file, but this is ${what}`,
    fix: "Remove it, or set another `file`. A log is never written through links, pipes or devices",
    source: { file },
  });

/** An error: the disk did not confirm a write. */
export const flushFailed = (file: string, error: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_UNSYNCED",
    message: `The log could not be flushed to its disk (${codeOf(error) ?? messageOf(error)}), so it may not be durable`,
    fix: "Check the disk, then open the run again. Until then it records nothing more",
    source: { file },
    cause: error,
  });

export const lockHeld = (file: string, waited_ms: number): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_BUSY",
    message: `Another process has locked the log for ${waited_ms} ms`,
    fix: "Find the process that has the lock file open. A process that ended holds no lock",
    source: { file },
  });

export const diverged = (file: string, message: string): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_DIVERGED",
    message,
    fix: "Open the run with the store that belongs to this file, or move the file away. A new one is then written from the store",
    source: { file },
  });
