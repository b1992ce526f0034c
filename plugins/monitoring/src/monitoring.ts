import { dirname, resolve } from "node:path";
import { loadContract } from "@bylaw/contract";
import { definePlugin } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };
import { declareAlerts } from "./alert-book.ts";
import { auditLine } from "./audit-line.ts";
import { exportLines, exportMetrics } from "./export-metrics.ts";
import { workflowMetrics } from "./metrics.ts";
import { monitoringOptions } from "./options.ts";

/** Measures a workflow from its log, exports measurements and tool calls, and tracks the open alerts of the contract. */
export const monitoring = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: monitoringOptions,
  apply(kernel, { contract: file, tools, checks }, { configFile }) {
    const path = resolve(configFile === undefined ? process.cwd() : dirname(configFile), file);
    const contract = loadContract(path, { tools, checks });
    const { exportPath } = contract.monitoring;
    kernel.projection(workflowMetrics);
    declareAlerts(kernel);
    const { auditLog } = contract.enforcement.tools;
    const beside = (name: string): string => resolve(dirname(path), name);
    // Both are optional: a process that cannot write them still records and decides.
    if (exportPath !== undefined)
      kernel.sink({
        name: "metrics",
        open: (log) => exportMetrics(log, contract, beside(exportPath)),
      });
    if (auditLog !== undefined)
      kernel.sink({
        name: "audit",
        open: (log) =>
          exportLines(log, beside(auditLog), {
            initial: null,
            reduce: () => null,
            lineOf: (event) => auditLine(log.run, event),
          }),
      });
  },
});
