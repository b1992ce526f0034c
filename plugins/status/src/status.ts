import { dirname } from "node:path";
import { definePlugin } from "@bylaw/kernel";
import { runPath } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import { STATUS_EVENTS } from "./events.ts";
import { statusOptions } from "./options.ts";
import { keepStatusFile } from "./status-file.ts";

/** Keeps `status.json`, the state of a run folded from its log, in a file that may be read at any time. */
export const status = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: statusOptions,
  apply(kernel, { file, every_ms, keep, previews }, { configFile }) {
    const folder = configFile === undefined ? process.cwd() : dirname(configFile);
    for (const type of STATUS_EVENTS) kernel.event(type);
    // Not required: a process that cannot write the status still records and decides.
    kernel.sink({
      name: "status",
      open: (log) =>
        keepStatusFile(log, { path: runPath(file, log.run, folder), every_ms, keep, previews }),
    });
  },
});
