import { BylawError } from "@bylaw/kernel";

/** How a store waits, remembers and tells the time. */
export interface SqliteOptions {
  /** How long a call waits for other processes that write, in milliseconds. Default: 10,000. */
  readonly busy_ms?: number;
  /** How often the writes of other processes are looked for while somebody watches, in milliseconds. Default: 200. */
  readonly poll_ms?: number;
  /** How long a request id is remembered, in milliseconds: longer than any client tries again. Default: seven days. */
  readonly request_retention_ms?: number;
  /** Milliseconds since 1970; the store's own clock, for tests. Default: that of this machine. */
  readonly now?: () => number;
}

const WEEK = 7 * 24 * 60 * 60 * 1_000;
const DEFAULTS: Required<SqliteOptions> = {
  busy_ms: 10_000,
  poll_ms: 200,
  request_retention_ms: WEEK,
  now: Date.now,
};

/** Options with their defaults. Throws BYLAW_STORE_UNUSABLE for an unknown one, or one of the wrong kind. */
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
