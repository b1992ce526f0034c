import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { metrics, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { SimpleSpanProcessor, TracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace";
import { describeExamples } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { examples } from "../examples.ts";
import { kernelWith, openedRun } from "./kit.ts";

describeExamples(examples, { describe, it });

describe("otel", () => {
  it("decides and records as before without an SDK", async () => {
    const run = await openedRun(kernelWith());
    const { applied, events } = await run.toolCall({ tool: "rm", args: {} });
    await run.close();
    expect(applied).toBe("deny");
    expect(events.map(({ event_type }) => event_type)).toEqual(["tool_denied"]);
    expect(events[0]?.details).not.toHaveProperty("trace");
  });

  it("changes no decision when telemetry fails", async () => {
    const fails = (): never => {
      throw new Error("no telemetry today");
    };
    const broken: SpanProcessor = {
      onStart: fails,
      onEnd: fails,
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [broken] }));
    onTestFinished(() => trace.disable());
    const run = await openedRun(kernelWith());
    expect(await run.toolCall({ tool: "ls", args: {} })).toMatchObject({ applied: "allow" });
    expect(await run.toolCall({ tool: "rm", args: {} })).toMatchObject({ applied: "deny" });
    await run.close();
  });

  it("reports over OTLP to a collector", async () => {
    const received = new Map<string, string>();
    const collector = createServer(async (request, response) => {
      let body = "";
      for await (const piece of request) body += String(piece);
      received.set(request.url ?? "", body);
      response.setHeader("content-type", "application/json").end("{}");
    }).listen(0, "127.0.0.1");
    await once(collector, "listening");
    const { port } = collector.address() as AddressInfo;
    const url = (signal: string): string => `http://127.0.0.1:${port}/v1/${signal}`;
    const tracing = new TracerProvider({
      spanProcessors: [
        new SimpleSpanProcessor({ exporter: new OTLPTraceExporter({ url: url("traces") }) }),
      ],
    });
    const exporter = new OTLPMetricExporter({ url: url("metrics") });
    const metering = new MeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter })],
    });
    trace.setGlobalTracerProvider(tracing);
    metrics.setGlobalMeterProvider(metering);
    onTestFinished(async () => {
      trace.disable();
      metrics.disable();
      await tracing.shutdown();
      await metering.shutdown();
      collector.closeAllConnections();
      collector.close();
    });
    const run = await openedRun(kernelWith());
    await run.toolCall({ tool: "rm", args: { path: "the-door-is-red" } });
    await run.close();
    await tracing.forceFlush();
    await metering.forceFlush();
    expect(received.get("/v1/traces")).toContain("decide rm");
    expect(received.get("/v1/metrics")).toContain("bylaw.decisions");
    expect([...received.values()].join("")).not.toContain("the-door-is-red");
  });
});
