import { ask, createKernel, deny, type Kernel, type Plugin } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import { metrics, trace, context, type Attributes } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { MeterProvider, MetricReader, type DataPoint } from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace";
import { onTestFinished } from "vitest";
import { otel } from "../src/index.ts";

class PulledReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A started SDK that keeps in memory what it would export. */
export interface Sdk {
  readonly spans: () => readonly ReadableSpan[];
  /** The values of a metric by its attributes, written as JSON. */
  readonly points: (metric: string) => Promise<readonly (readonly [Attributes, unknown])[]>;
}

/** Starts an SDK until the test ends. */
export function startSdk(): Sdk {
  const exporter = new InMemorySpanExporter();
  const reader = new PulledReader();
  const tracing = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const metering = new MeterProvider({ readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(tracing);
  metrics.setGlobalMeterProvider(metering);
  onTestFinished(async () => {
    trace.disable();
    metrics.disable();
    context.disable();
    await tracing.shutdown();
    await metering.shutdown();
  });
  return {
    spans: () => exporter.getFinishedSpans(),
    async points(name) {
      const { resourceMetrics } = await reader.collect();
      const found = resourceMetrics.scopeMetrics
        .flatMap((scope) => scope.metrics)
        .find(({ descriptor }) => descriptor.name === name);
      const points: readonly DataPoint<unknown>[] = found?.dataPoints ?? [];
      return points.map(({ attributes, value }) => [attributes, value] as const);
    },
  };
}

/** Denies `rm`, asks before `deploy`, and fails at `crash`. */
const guard = pluginOf("guard", ({ hooks }) => {
  hooks.beforeToolCall.tap("guard", ({ tool, args }) => {
    if (tool === "crash") throw new Error("broken");
    if (tool === "rm")
      return deny(`No: ${JSON.stringify(args)}`, "Leave it", {
        rule: { name: "no-rm", file: "policy.toml", line: 7 },
      });
    return tool === "deploy" ? ask("A person decides", "Wait") : undefined;
  });
});

export const kernelWith = (...more: readonly Plugin[]): Kernel =>
  createKernel({ plugins: [otel(), guard, ...more], fallback: "allow" });

/** Opens a run until the test ends. */
export async function openedRun(
  kernel: Kernel,
  options: { readonly store?: Store; readonly join?: boolean } = {},
): Promise<Run> {
  const run = await openRun(kernel, { run: "main", ...options });
  onTestFinished(() => run.close().catch(() => {}));
  return run;
}

/** Resolves when the sinks have what was recorded. */
export const reported = (run: Run): Promise<void> => run.close();
