import { BylawError } from "@bylaw/kernel";

/** Waiting times, retention and clock of a store. */
export interface SqliteOptions {
  /** How long a call waits for other processes that write, in milliseconds. Default: 10,000. */
  readonly busy_ms?: number;
  /** How often a watched store looks for writes of other processes, in milliseconds. Default: 200. */
  readonly poll_ms?: number;
  /** How long a request id is remembered, in milliseconds. It must exceed the time for which any client retries. Default: seven days. */
  readonly request_retention_ms?: number;
  /** Returns the store's time in milliseconds since 1970; for tests. Default: the clock of this machine. */
  readonly now?: () => number;
}

const WEEK = 7 * 24 * 60 * 60 * 1_000;
const DEFAULTS: Required<SqliteOptions> = {
  busy_ms: 10_000,
  poll_ms: 200,
  request_retention_ms: WEEK,
  now: Date.now,
};

/** Returns the options with their defaults. Throws BYLAW_STORE_UNUSABLE for an unknown option or a value of the wrong type. */
export function settingsOf(options: SqliteOptions): Required<SqliteOptions> {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(DEFAULTS, name));
  if (unknown !== undefined)
    refuse(`Unknown option \`${unknown}\`. The options are ${Object.keys(DEFAULTS).join(", ")}`);
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const { now, ...times } = { ...DEFAULTS, ...given } as Required<SqliteOptions>;
  if (typeof now !== "function") refuse(`\`now\` must be a function, not ${typeof now}`);
  for (const [name, value] of Object.entries(times)) {
    if (!Number.isSafeInteger(value) || value < 1)
      refuse(`\`${name}\` must be a whole number from 1, not ${String(value)}`);
  }
  return { ...times, now };
}

function refuse(message: string): never {
  throw new BylawError({
    code: "BYLAW_STORE_UNUSABLE",
    message,
    fix: "Correct the options of openSqliteStore",
  });
}
