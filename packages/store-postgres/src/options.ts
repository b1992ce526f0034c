import { BylawError } from "@bylaw/kernel";

/** How a store uses its server. All times are in milliseconds. */
export interface PostgresStoreOptions {
  /** The schema of the store, created if it is missing. Lower-case letters, digits and `_`. Default `bylaw`. */
  readonly schema?: string;
  /** The most connections at a time. Watching takes one more. Default 8. */
  readonly connections?: number;
  /** How long connecting may take. Default 10,000. */
  readonly connect_timeout_ms?: number;
  /** How long a write waits for rows that another transaction has locked. Default 5,000. */
  readonly lock_timeout_ms?: number;
  /** How long one statement may take in all. Default 30,000. */
  readonly statement_timeout_ms?: number;
  /** How long the server may be unreachable before waiting calls fail. Default 10,000. */
  readonly retry_ms?: number;
  /** How often a watcher polls, in addition to notifications. Default 2,000. */
  readonly poll_ms?: number;
}

export type Settings = Required<PostgresStoreOptions> & {
  readonly url: string;
  /** Host, port and database: the parts of the URL that may be shown. */
  readonly target: string;
};

const DEFAULTS: Required<PostgresStoreOptions> = {
  schema: "bylaw",
  connections: 8,
  connect_timeout_ms: 10_000,
  lock_timeout_ms: 5_000,
  statement_timeout_ms: 30_000,
  retry_ms: 10_000,
  poll_ms: 2_000,
};
/** Short enough to be part of a channel's name. */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,49}$/;
const MAX_MS = 2 ** 31 - 1;

/** Returns the settings for a URL and options. Throws BYLAW_STORE_UNUSABLE, which never repeats the URL. */
export function settingsOf(url: string, options: PostgresStoreOptions): Settings {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(DEFAULTS, name));
  if (unknown !== undefined)
    throw unusable(
      `Unknown option \`${unknown}\`. The options are ${Object.keys(DEFAULTS).join(", ")}`,
    );
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const settings = { ...DEFAULTS, ...given };
  const { schema, ...numbers } = settings;
  if (typeof schema !== "string" || !SCHEMA.test(schema) || schema === "information_schema") {
    throw unusable(
      `\`${String(schema)}\` cannot be a schema: it must be at most 50 lower-case letters, digits and underscores, not starting with a digit or pg_`,
    );
  }
  for (const [name, value] of Object.entries(numbers)) {
    const least = name === "connections" ? 2 : 1;
    if (Number.isInteger(value) && value >= least && value <= MAX_MS) continue;
    throw unusable(`\`${name}\` must be a whole number from ${least}, not ${String(value)}`);
  }
  return { ...settings, url, target: targetOf(url) };
}

function targetOf(url: string): string {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const fix =
    "Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with the characters @ / # ? : % of a password percent-encoded";
  if (parsed === undefined || !["postgres:", "postgresql:"].includes(parsed.protocol)) {
    throw unusable("The URL must start with postgres://", fix);
  }
  // An unescaped special character in a password ends the authority early. Then parts of the password would be shown as host or database.
  const { hostname, port, pathname, search, hash } = parsed;
  if (hash !== "" || /@/.test(pathname + search))
    throw unusable("The password in the URL must be percent-encoded", fix);
  return `${hostname || "localhost"}:${port || "5432"}${pathname}`;
}

export const unusable = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_STORE_UNUSABLE", message, ...(fix === undefined ? {} : { fix }) });
