import type { Log } from "./logger.ts";
import { checkArgument } from "@bylaw/kernel";
import { pino } from "pino";
import type { Settings } from "../config/settings.ts";
import { withoutSecrets } from "./without-secrets.ts";

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
