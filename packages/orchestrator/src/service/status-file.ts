import { definePlugin } from "@bylaw/kernel";
import { runPath } from "@bylaw/log";
import { keepStatusFile } from "@bylaw/plugin-status";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

/** How many violations are listed for an agent; totals count all. */
export const KEEP = 100;
/** Least milliseconds from one write to the next. */
const EVERY_MS = 250;

/** Keeps the status of the run in a file. If it cannot be written, the server goes on. */
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
