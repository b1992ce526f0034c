import { dirname, resolve } from "node:path";
import { definePlugin } from "@bylaw/kernel";
import { runPath } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import { openMirror } from "./mirror.ts";
import { eventLogOptions } from "./options.ts";
import { createRedactor } from "./redactor.ts";

/** Writes every event of a run into a JSONL file, durably, before the operation that caused it proceeds. */
export const eventLog = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: eventLogOptions,
  apply(kernel, { file, durability, flush_ms, rotate, redact, sign }, { configFile }) {
    const folder = configFile === undefined ? process.cwd() : dirname(configFile);
    const { key_file } = redact;
    kernel.redact(
      createRedactor({
        ...redact,
        key_file: key_file === undefined ? undefined : resolve(folder, key_file),
      }),
    );
    const signed =
      sign === undefined ? undefined : { ...sign, key_file: resolve(folder, sign.key_file) };
    kernel.sink({
      name: "event-log",
      required: true,
      open: (log) =>
        openMirror(log, {
          path: runPath(file, log.run, folder),
          durability,
          flush_ms,
          rotate,
          sign: signed,
          warn: (code, message) => process.emitWarning(message, { type: "BylawWarning", code }),
        }),
    });
  },
});
