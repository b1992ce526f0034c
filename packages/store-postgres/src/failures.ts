import { BylawError, messageOf } from "@bylaw/kernel";
import { StoreConflict } from "@bylaw/store";
import { DatabaseError } from "pg";

/** The SQLSTATE of an error, five characters. `undefined` if the server did not answer. */
const stateOf = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined;

const GONE = /^(08|57P0|53300|25006|25P03)/;
const SYSTEM = /^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND|ADDR)/;
const SAID = /connection (terminated|error)|timeout|not queryable|ended|read ETIMEDOUT/i;

/** Thrown when no connection could be made, so nothing was sent. */
export class NotConnected extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super(messageOf(reason));
    this.reason = reason;
  }
}

/** Wraps what a caller's function threw inside a transaction. It rolls back the transaction and is never taken for a database error. */
export class CallerError extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("thrown by a caller");
    this.reason = reason;
  }
}

/** Whether the connection is lost, or the server is starting or stopping. The statement may or may not have run. */
export function isLost(error: unknown): boolean {
  if (error instanceof NotConnected) return isLost(error.reason);
  const state = stateOf(error);
  if (state !== undefined) return GONE.test(state);
  if (!(error instanceof Error) || error instanceof BylawError || error instanceof StoreConflict)
    return false;
  const { code } = error as { readonly code?: unknown };
  return (typeof code === "string" && SYSTEM.test(code)) || SAID.test(error.message);
}

/**
 * Whether the same write may succeed when it is sent again: it collided with others, who wrote the same new row first, and the server has
 * rolled it back.
 */
export const isRace = (error: unknown): boolean =>
  ["40001", "40P01", "23505", "BY004"].includes(stateOf(error) ?? "");

/** Whether nothing was written because a log does not end where it was expected to. */
export const isMoved = (error: unknown): boolean => stateOf(error) === "BY004";

const REFUSED: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  "28P01": [
    "Wrong user or password for",
    "Set the user and password of the URL to those of a role of the server",
  ],
  "28000": [
    "This role may not log in to",
    "Set the user of the URL to a role that may log in from this host",
  ],
  "3D000": ["No such database:", "Create the database, or name another one in the URL"],
};

const SILENCE = [
  "Cannot connect to PostgreSQL at",
  "Start the server, or correct the host, port and TLS settings of the URL",
] as const;

/** Whether others have locked the needed rows for too long. */
export const isBusy = (error: unknown): boolean =>
  isRace(error) || ["55P03", "57014"].includes(stateOf(error) ?? "");

/** The error for a server that cannot be reached. Names host, port and database, but no user or password. */
function unreachable(error: unknown, target: string): BylawError {
  const [what, fix] =
    REFUSED[messageOf(error).startsWith("SASL") ? "28P01" : (stateOf(error) ?? "")] ?? SILENCE;
  return new BylawError({
    code: "BYLAW_STORE_UNREACHABLE",
    message: `${what} ${target}: ${messageOf(error)}`,
    fix,
  });
}

export const unknownOutcome = (target: string): BylawError =>
  new BylawError({
    code: "BYLAW_STORE_UNKNOWN_OUTCOME",
    message: `The connection to ${target} was lost before an answer came, so it is unknown whether the write was recorded`,
    fix: "Read the log before you send it again, or send it again with the same request id",
  });

export const isUnknown = (error: unknown): boolean =>
  error instanceof BylawError && error.code === "BYLAW_STORE_UNKNOWN_OUTCOME";

/** SQLSTATE classes of problems of the whole server: no space, too many connections, or a failed disk or file. */
const FULL = /^(53|58|XX00)/;

const REASONS: readonly (readonly [RegExp, (target: string) => string, fix: string])[] = [
  [
    /^25006/,
    (target) => `PostgreSQL at ${target} takes no writes: it is read-only`,
    "Name the primary server in the URL, or end its read-only mode",
  ],
  [
    /^53100/,
    (target) => `PostgreSQL at ${target} has no room left on its disk`,
    "Make room on its disk",
  ],
  [
    /^53300/,
    (target) => `PostgreSQL at ${target} has too many connections`,
    "Raise its max_connections, or open fewer",
  ],
  [FULL, (target) => `PostgreSQL at ${target} has failed`, "See the log of the server"],
];

function unavailable(error: unknown, target: string): BylawError {
  const [, reason, fix] = REASONS.find(([pattern]) => pattern.test(stateOf(error) ?? "")) ?? [
    undefined,
    (place: string) => `PostgreSQL at ${place} does not answer`,
    "Start the server, or check the network",
  ];
  return new BylawError({
    code: "BYLAW_STORE_UNAVAILABLE",
    message: `${reason(target)} (${messageOf(error)}).`,
    fix,
    cause: error,
  });
}

/** The error for a store that cannot be opened. */
export function openingFailure(error: unknown, target: string): BylawError {
  const failure = failureOf(error, target);
  if (failure instanceof BylawError && failure.code !== "BYLAW_STORE_UNAVAILABLE") return failure;
  return unreachable(failure instanceof BylawError ? failure.cause : failure, target);
}

/** Converts a server error for the caller. Leaves out values of rows, which some server errors have beside their message. */
export function failureOf(error: unknown, target: string): unknown {
  if (error instanceof BylawError || error instanceof StoreConflict) return error;
  if (error instanceof CallerError) return error.reason;
  const said = error instanceof NotConnected ? error.reason : error;
  const state = stateOf(said);
  if (Object.hasOwn(REFUSED, state ?? "")) return unreachable(said, target);
  if (isLost(error) || error instanceof NotConnected || FULL.test(state ?? ""))
    return unavailable(said, target);
  if (state === undefined) return error;
  if (isBusy(error)) {
    return new BylawError({
      code: "BYLAW_STORE_BUSY",
      message: `Other transactions at ${target} held the needed rows for too long: ${messageOf(error)}`,
      fix: "Send it again with the same request id. If this happens often, look for a transaction that stays open, or raise lock_timeout_ms",
    });
  }
  if (state === "BY001") {
    return new BylawError({
      code: "BYLAW_STORE_UNUSABLE",
      message: `The role at ${target} uses the ${messageOf(error)}, but read committed is needed`,
      fix: "Run `alter role … set default_transaction_isolation = 'read committed'`",
    });
  }
  return new BylawError({
    code: "BYLAW_STORE_FAILED",
    message: `PostgreSQL at ${target} refused the write with error ${state}: ${messageOf(error)}`,
    fix:
      FIXES[state] ??
      FIXES[state.slice(0, 2)] ??
      "Look the code up in PostgreSQL's table of error codes",
  });
}

const FIXES: Readonly<Record<string, string>> = {
  "53": "Give the server more disk, memory or connections",
  "42501": "Grant the role usage of the schema, and select, insert, update, delete on its tables",
  "42P01": "Open the store again. Its schema was dropped or changed",
  "42883": "Open the store again. Its schema was dropped or changed",
  "3F000": "Open the store again. Its schema was dropped or changed",
};
