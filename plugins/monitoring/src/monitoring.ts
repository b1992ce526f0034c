import { dirname, resolve } from "node:path";
import { loadContract } from "@bylaw/contract";
import { definePlugin } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };
import { declareAlerts } from "./alert-book.ts";
import { exportMetrics } from "./export-metrics.ts";
import { workflowMetrics } from "./metrics.ts";
import { monitoringOptions } from "./options.ts";

/** Measures a workflow from its log, exports what is measured, and keeps which alerts of the contract are open. */
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
    if (exportPath === undefined) return;
    // Not required: whoever cannot write a metric still records and decides.
    kernel.sink({
      name: "metrics",
      open: (log) => exportMetrics(log, contract, resolve(dirname(path), exportPath)),
    });
  },
});
