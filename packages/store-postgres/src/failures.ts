import { BylawError, StoreConflict, messageOf } from "@bylaw/kernel";
import { DatabaseError } from "pg";

/** The five signs by which PostgreSQL names an error; `undefined` where the server did not answer. */
const stateOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined);

const GONE = /^(08|57P0|53300|25006|25P03)/;
const SYSTEM = /^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND|ADDR)/;
const SAID = /connection (terminated|error)|timeout|not queryable|ended|read ETIMEDOUT/i;

/** No connection came up, so nothing was sent. */
export class NotConnected extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super(messageOf(reason));
    this.reason = reason;
  }
}

/** What a caller's own function threw inside a transaction: undoes it, and is none of the database's errors, whatever it says. */
export class Thrown extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("thrown by a caller");
    this.reason = reason;
  }
}

/** Whether the connection is lost, or the server on its way down or up: what was sent may have happened or not. */
export function isLost(error: unknown): boolean {
  if (error instanceof NotConnected) return isLost(error.reason);
  const state = stateOf(error);
  if (state !== undefined) return GONE.test(state);
  if (!(error instanceof Error) || error instanceof BylawError || error instanceof StoreConflict) return false;
  const { code } = error as { readonly code?: unknown };
  return (typeof code === "string" && SYSTEM.test(code)) || SAID.test(error.message);
}

/** Whether an error says by itself that nothing was written: the server has undone it, or was never asked. */
export const isCertain = (error: unknown): boolean =>
  error instanceof NotConnected || error instanceof Thrown || (stateOf(error) !== undefined && !isLost(error));

/** Whether the same write may succeed when it is sent again: others were in its way, or its turn had passed, and the server has undone it. */
export const isRace = (error: unknown): boolean => ["40001", "40P01", "BY002"].includes(stateOf(error) ?? "");

/** Whether a batch was written for a head that is no longer there, so that nothing of it was. */
export const isMoved = (error: unknown): boolean => stateOf(error) === "BY004";

const REFUSED: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  "28P01": ["password", "set the user and password of the URL to those of a role of the server"],
  "28000": ["role", "set the user of the URL to a role that may log in from this host"],
  "3D000": ["database", "make the database, or name another one in the URL"],
};

const SILENCE = ["silence", "start the server, or mend host, port and the settings of TLS in the URL"] as const;

/** Whether others held for too long what was needed. */
export const isBusy = (error: unknown): boolean => isRace(error) || ["55P03", "57014"].includes(stateOf(error) ?? "");

/** What to tell of a server that cannot be reached. Says host, port and database, and no user or password. */
export function unreachable(error: unknown, target: string): BylawError {
  const [what, fix] = REFUSED[messageOf(error).startsWith("SASL") ? "28P01" : (stateOf(error) ?? "")] ?? SILENCE;
  return new BylawError({
    code: "BYLAW_STORE_UNREACHABLE",
    message: `Unexpected ${what} at ${target}, expected a PostgreSQL to write to: ${messageOf(error)}`,
    fix,
  });
}

export const unknownOutcome = (target: string): BylawError =>
  new BylawError({
    code: "BYLAW_STORE_UNKNOWN_OUTCOME",
    message: `Unexpected loss of the connection to ${target}, expected an answer: the write may be on record or not`,
    fix: "read the log before you send it again, or send it again under the request id that it had",
  });

export const isUnknown = (error: unknown): boolean => error instanceof BylawError && error.code === "BYLAW_STORE_UNKNOWN_OUTCOME";

/** What a caller is told of an error of the server. Values of rows, which some errors have beside their message, are left out. */
export function failureOf(error: unknown, target: string): unknown {
  if (error instanceof BylawError || error instanceof StoreConflict) return error;
  if (error instanceof Thrown) return error.reason;
  if (error instanceof NotConnected) return unreachable(error.reason, target);
  const state = stateOf(error);
  if (isLost(error) || Object.hasOwn(REFUSED, state ?? "")) return unreachable(error, target);
  if (state === undefined) return error;
  if (isBusy(error)) {
    return new BylawError({
      code: "BYLAW_STORE_BUSY",
      message: `Unexpected wait at ${target}, expected rows that nobody holds for long: ${messageOf(error)}`,
      fix: "send it again with the same request id; look for a transaction that stays open, or raise lock_timeout_ms",
    });
  }
  if (state === "BY001") {
    return new BylawError({
      code: "BYLAW_STORE_UNUSABLE",
      message: `Unexpected ${messageOf(error)} at ${target}, expected read committed`,
      fix: "alter role … set default_transaction_isolation = 'read committed'",
    });
  }
  return new BylawError({
    code: "BYLAW_STORE_FAILED",
    message: `Unexpected error ${state} of PostgreSQL at ${target}, expected it to write: ${messageOf(error)}`,
    fix: FIXES[state] ?? FIXES[state.slice(0, 2)] ?? "look it up under this code in PostgreSQL's table of errors",
  });
}

const FIXES: Readonly<Record<string, string>> = {
  "53": "give the server room: disk, memory, connections",
  "42501": "grant the role usage of the schema, and select, insert, update, delete on its tables",
  "42P01": "open the store again: its schema was dropped or changed",
  "42883": "open the store again: its schema was dropped or changed",
  "3F000": "open the store again: its schema was dropped or changed",
};
