import { definePlugin } from "@bylaw/kernel";
import { runPath } from "@bylaw/log";
import { keepStatusFile } from "@bylaw/plugin-status";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

/** How many violations are listed for an agent. Totals count all. */
export const KEEP = 100;
/** The fewest milliseconds between two writes. */
const EVERY_MS = 250;

/** Writes the status of the run to a file. If that fails, the server continues. */
export const statusFile = definePlugin({
  name: "@bylaw/orchestrator/status-file",
  version: manifest.version,
  options: z.strictObject({ file: z.string() }),
  apply(kernel, { file }) {
    kernel.sink({
      name: "status file",
      open: (log) =>
        keepStatusFile(log, {
          path: runPath(file, log.run, process.cwd()),
          every_ms: EVERY_MS,
          keep: KEEP,
        }),
    });
  },
});
