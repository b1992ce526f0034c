import { BylawError, messageOf } from "@bylaw/kernel";

/** The SQLite code of an error, such as `SQLITE_BUSY`. `undefined` for any other error. */
function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== "SqliteError") return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "SQLITE_ERROR";
}

/** Whether another connection holds the lock that was needed. */
export const isBusy = (error: unknown): boolean =>
  /^SQLITE_(BUSY|PROTOCOL)/.test(sqliteCode(error) ?? "");

/** Whether SQLite could not create the files that it needs beside the database. */
export const needsFolder = (error: unknown): boolean =>
  /^SQLITE_(CANTOPEN|READONLY_DIRECTORY)/.test(sqliteCode(error) ?? "");

/** Whether nothing SQLite reports about the file can be trusted after this error. */
export const isFatal = (error: unknown): boolean =>
  /^SQLITE_(IOERR|CORRUPT|NOTADB|READONLY_DBMOVED)/.test(sqliteCode(error) ?? "");

const REASONS: readonly (readonly [RegExp, (file: string) => string])[] = [
  [/^SQLITE_FULL/, (file) => `The disk of ${file} is full`],
  [/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN)/, (file) => `${file} cannot be written`],
  [/^SQLITE_IOERR/, (file) => `The disk of ${file} failed`],
  [/^SQLITE_(CORRUPT|NOTADB)/, (file) => `${file} is damaged`],
];

const FIXES: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_NOTADB/, "Name another file, or move this one away"],
  [/^SQLITE_CORRUPT/, "Keep the file for examination, and restore a backup"],
  [/^SQLITE_FULL/, "Make room on the disk"],
  [
    /^SQLITE_(READONLY|PERM|AUTH|CANTOPEN)/,
    "Give this user write access to the file and its folder",
  ],
];
const fixOf = (code: string): string =>
  FIXES.find(([pattern]) => pattern.test(code))?.[1] ?? "Check the disk";

export function unusable(message: string, fix: string, cause?: unknown): BylawError {
  return new BylawError({
    code: "BYLAW_STORE_UNUSABLE",
    message,
    fix,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Converts a SQLite error during opening into a Bylaw error. Other errors are returned unchanged. */
export function openFailure(file: string, error: unknown, purpose = "opened for writing"): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  return unusable(
    `${file} cannot be ${purpose} (${code}: ${messageOf(error)})`,
    fixOf(code),
    error,
  );
}

/** Converts a SQLite error after opening into a Bylaw error. Other errors are returned unchanged. */
export function failure(file: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1](file);
  if (reason !== undefined) {
    const fix = isFatal(error)
      ? `${fixOf(code)}, then restart. Nothing is written until the store is opened again`
      : fixOf(code);
    return new BylawError({
      code: "BYLAW_STORE_UNAVAILABLE",
      message: `${reason} (${code}: ${messageOf(error)}).`,
      fix,
      cause: error,
    });
  }
  const message = `SQLite could not write ${file} (${code}: ${messageOf(error)})`;
  return new BylawError({ code: "BYLAW_STORE_FAILED", message, fix: fixOf(code), cause: error });
}

export const fileReplaced = (file: string): BylawError =>
  new BylawError({
    code: "BYLAW_STORE_FAILED",
    message: `${file} was deleted or replaced while it was open`,
    fix: "Put the file back or restore a backup, then open the store again",
  });

export const busy = (file: string, busy_ms: number): BylawError =>
  new BylawError({
    code: "BYLAW_STORE_BUSY",
    message: `Other writers have locked ${file} for more than ${busy_ms} ms`,
    fix: "Try again with the same request id. If this happens often, let one process own the file",
  });
