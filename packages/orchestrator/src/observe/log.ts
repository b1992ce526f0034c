import {
  checkArgument,
  BylawError,
  messageOf,
  omitUndefined,
  type JsonObject,
} from "@bylaw/kernel";
import { pino } from "pino";
import type { Settings } from "../config/settings.ts";

interface LogTerms {
  readonly level: Settings["log"]["level"];
  /** Where it is written. Default: the standard output, one JSON object in a line. */
  readonly to?: { write(line: string): unknown };
  /** Secrets of this server: wherever one stands in what is logged, it is taken out. */
  readonly secrets?: readonly string[];
}

/** Makes the log of a server: structured, and with all secrets redacted. */
export function createLog(terms: LogTerms): Log {
  const { level, to, secrets = [] } = checkArgument("createLog", "the terms of a log", terms);
  let known = secrets;
  let clean = withoutSecrets(known);
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  const log =
    to === undefined ? pino(options) : pino(options, { write: (line) => void to.write(line) });
  const write =
    (at: "debug" | "info" | "warn" | "error") =>
    (fields: object, message: string): void => {
      if (log.isLevelEnabled(at)) log[at](clean(fields) as object, clean(message) as string);
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    conceal(more) {
      known = [...known, ...more];
      clean = withoutSecrets(known);
    },
  };
}

/** Where the service says what happens in it; pino is one. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Is told of secrets that the server has: none of them may stand in what is said from now on. */
  conceal?(secrets: readonly string[]): void;
}

/** The fields of an error in a log line; of a coded one also its file and fix. */
export function faultOf(error: unknown): JsonObject {
  const err = messageOf(error);
  if (!(error instanceof BylawError)) return { err };
  const { code, fix, source } = error;
  return { err, code, ...omitUndefined({ file: source?.file, fix }) };
}

/** What stands in the place of a secret. */
const GONE = "[redacted]";
/** Names of what is a secret, whatever it looks like. */
const NAME = /authorization|cookie|secret|password|passwd|token|credential|private_?key|api_?key/i;
// Credentials that show by their form what they are: in a header, a JSON Web Token, and in a URL.
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|bylaw-enrol|basic)\s+[!-~]{6,}/gi, `$1 ${GONE}`],
  [/\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g, GONE],
  [/(:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,400}@/g, `$1${GONE}@`],
];
const DEPTH = 6;
const ITEMS = 100;
/** Longer texts are cut: a log is no place for what somebody sends. */
const LONGEST = 4_000;
/** A shorter one would take ordinary words out of every line. */
const SHORTEST = 8;
const SHORTEST_LINE = 16;

/** Makes a function that copies what is to be logged, without secrets and within bounds. `secrets`: those that are known. */
function withoutSecrets(secrets: readonly string[]): (value: unknown) => unknown {
  // Of a key in several lines one is a secret too.
  const lines = secrets
    .flatMap((secret) => secret.split("\n"))
    .filter(({ length }) => length >= SHORTEST_LINE);
  const whole = secrets.filter(({ length }) => length >= SHORTEST);
  const known = [...new Set([...whole, ...lines])].sort((one, other) => other.length - one.length);

  function text(given: string): string {
    let clean = given.length > LONGEST ? `${given.slice(0, LONGEST)}…` : given;
    for (const secret of known) clean = clean.replaceAll(secret, GONE);
    for (const [form, instead] of FORMS) clean = clean.replace(form, instead);
    return clean;
  }

  function copy(value: unknown, depth: number): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null)
      return typeof value === "bigint" ? String(value) : value;
    if (value instanceof Error) return text(`${value.name}: ${value.message}`);
    if (depth === DEPTH) return "…";
    if (Array.isArray(value)) return value.slice(0, ITEMS).map((item) => copy(item, depth + 1));
    const entries = Object.entries(value).slice(0, ITEMS);
    return Object.fromEntries(
      entries.map(([key, item]) => [
        text(key),
        NAME.test(key) && item !== undefined ? GONE : copy(item, depth + 1),
      ]),
    );
  }

  return (value) => copy(value, 0);
}
