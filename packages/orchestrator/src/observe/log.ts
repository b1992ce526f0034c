import {
  checkArgument,
  BylawError,
  messageOf,
  omitUndefined,
  type JsonObject,
} from "@bylaw/kernel";
import { pino } from "pino";
import type { Settings } from "../config/settings.ts";

interface LogOptions {
  readonly level: Settings["log"]["level"];
  /** Where log lines go. Default: standard output, one JSON object per line. */
  readonly to?: { write(line: string): unknown };
  /** Secrets of this server, which are removed wherever they occur. */
  readonly secrets?: readonly string[];
}

/** Creates the log of a server: structured, with all secrets redacted. */
export function createLog(options: LogOptions): Log {
  const { level, to, secrets = [] } = checkArgument("createLog", "the options of a log", options);
  let known = secrets;
  let clean = withoutSecrets(known);
  const pinoOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  const log =
    to === undefined
      ? pino(pinoOptions)
      : pino(pinoOptions, { write: (line) => void to.write(line) });
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

/** The interface for logging; pino has it. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Adds secrets of the server, which must not occur in later lines. */
  conceal?(secrets: readonly string[]): void;
}

/** The fields of an error in a log line. A coded error also has its file and fix. */
export function faultOf(error: unknown): JsonObject {
  const err = messageOf(error);
  if (!(error instanceof BylawError)) return { err };
  const { code, fix, source } = error;
  return { err, code, ...omitUndefined({ file: source?.file, fix }) };
}

const REDACTED = "[redacted]";
/** Names of fields that hold secrets, whatever the value looks like. */
const NAME = /authorization|cookie|secret|password|passwd|token|credential|private_?key|api_?key/i;
// Credentials that are recognizable by their form: in a header, a JSON Web Token, and in a URL.
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|bylaw-enrol|basic)\s+[!-~]{6,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g, REDACTED],
  [/(:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,400}@/g, `$1${REDACTED}@`],
];
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
/** Longer texts are cut, so that clients cannot fill the log. */
const MAX_LENGTH = 4_000;
/** Shorter secrets would remove ordinary words from lines. */
const MIN_LENGTH = 8;
const MIN_LINE_LENGTH = 16;

/** Creates a function that copies values for the log, without secrets and with bounded size. `secrets`: the known ones. */
function withoutSecrets(secrets: readonly string[]): (value: unknown) => unknown {
  // Each line of a multi-line key is a secret too.
  const lines = secrets
    .flatMap((secret) => secret.split("\n"))
    .filter(({ length }) => length >= MIN_LINE_LENGTH);
  const whole = secrets.filter(({ length }) => length >= MIN_LENGTH);
  const known = [...new Set([...whole, ...lines])].sort((one, other) => other.length - one.length);

  function text(given: string): string {
    let clean = given.length > MAX_LENGTH ? `${given.slice(0, MAX_LENGTH)}…` : given;
    for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
    for (const [form, instead] of FORMS) clean = clean.replace(form, instead);
    return clean;
  }

  function copy(value: unknown, depth: number): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null)
      return typeof value === "bigint" ? String(value) : value;
    if (value instanceof Error) return text(`${value.name}: ${value.message}`);
    if (depth === MAX_DEPTH) return "…";
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => copy(item, depth + 1));
    const entries = Object.entries(value).slice(0, MAX_ITEMS);
    return Object.fromEntries(
      entries.map(([key, item]) => [
        text(key),
        NAME.test(key) && item !== undefined ? REDACTED : copy(item, depth + 1),
      ]),
    );
  }

  return (value) => copy(value, 0);
}
