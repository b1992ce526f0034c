import { BylawError, messageOf } from "@bylaw/kernel";

/** The code of an error of the database engine, such as `SQLITE_BUSY`; `undefined` for any other error. */
function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== "SqliteError") return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "SQLITE_ERROR";
}

/** Whether another connection has what this one asked for, for now. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|PROTOCOL)/.test(sqliteCode(error) ?? "");

/** After these nothing that the engine says about the file can be relied on. */
export const isFatal = (error: unknown): boolean =>
  /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|AUTH|PERM)/.test(sqliteCode(error) ?? "");

const FIXES: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_NOTADB/, "name another file, or move this one away"],
  [/^SQLITE_CORRUPT/, "keep the file for examination, and restore a backup"],
  [/^SQLITE_FULL/, "make room on the disk"],
  [/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN)/, "give this user the right to write the file and its folder"],
];
const fixOf = (code: string): string =>
  FIXES.find(([pattern]) => pattern.test(code))?.[1] ?? "look after the disk, then open the store again";

/** Why a file cannot be opened as a store. */
export function unusable(file: string, actual: string, expected: string, fix: string, cause?: unknown): BylawError {
  const message = `Unexpected ${actual} at ${file}, expected ${expected}`;
  return new BylawError({ code: "BYLAW_STORE_UNUSABLE", message, fix, ...(cause === undefined ? {} : { cause }) });
}

/** What the engine says of a file while it is opened, as an error of Bylaw; any other error as it is. */
export function openFailure(file: string, error: unknown, expected = "a database that can be written"): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  return unusable(file, `answer ${code} (${messageOf(error)})`, expected, fixOf(code), error);
}

/** What the engine says later, as an error of Bylaw; any other error as it is. */
export function failure(file: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const message = `Unexpected answer ${code} (${messageOf(error)}) of ${file}, expected a durable write`;
  return new BylawError({ code: "BYLAW_STORE_FAILED", message, fix: fixOf(code), cause: error });
}

/** A file that is no longer where its name says. */
export const gone = (file: string): BylawError =>
  new BylawError({
    code: "BYLAW_STORE_FAILED",
    message: `Unexpected deletion or replacement of ${file} while it was open, expected the file that was opened`,
    fix: "put the file back or restore a backup, then open the store again",
  });

/** Other processes did not let go in time. */
export const busy = (file: string, busy_ms: number): BylawError =>
  new BylawError({
    code: "BYLAW_STORE_BUSY",
    message: `Unexpected lock of ${file} for more than ${busy_ms} ms, expected other writers to be done`,
    fix: "try again with the same request id; where it happens often, let one process own the file",
  });
