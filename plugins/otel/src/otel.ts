import { BylawError, definePlugin } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };
import { isStarted, loadApi } from "./api.ts";
import { DecisionMetrics } from "./metrics.ts";
import { openQuestions } from "./open-questions.ts";
import { otelOptions } from "./options.ts";
import { reportDecisions } from "./report-decisions.ts";
import { traceFact } from "./trace-fact.ts";

/** Reports every recorded decision to OpenTelemetry: a span in the trace of the agent or the run, and metrics. */
export const otel = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: otelOptions,
  apply(kernel, { content }) {
    const api = loadApi();
    const tracer = api.trace.getTracer(manifest.name, manifest.version);
    let metrics: DecisionMetrics | undefined;
    kernel.prepare("trace", () => metrics && { trace: traceFact(api) });
    kernel.projection(openQuestions);
    kernel.sink({
      name: "otel",
      open: (log) => {
        // Without an SDK nothing is reported, and decisions cost nothing.
        if (metrics === undefined && !isStarted(api)) return { write() {} };
        metrics ??= new DecisionMetrics(api, api.metrics.getMeter(manifest.name, manifest.version));
        return reportDecisions(log, { api, tracer, metrics, content });
      },
    });
    if (!content) return;
    kernel.onSeal(({ redactors }) => {
      if (redactors.length > 0) return;
      throw new BylawError({
        code: "BYLAW_OPTIONS_INVALID",
        message: `\`content\` of ${manifest.name} would export secrets, because no plugin redacts them`,
        fix: "Add `eventLog()` of @bylaw/plugin-event-log, or remove `content`",
      });
    });
  },
});
