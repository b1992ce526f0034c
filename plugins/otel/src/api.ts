import { createRequire } from "node:module";
import { BylawError } from "@bylaw/kernel";
import type * as api from "@opentelemetry/api";

/** The API of OpenTelemetry. It does nothing until the application starts an SDK. */
export type Api = typeof api;

/** Loads the API, which is an optional peer. Throws BYLAW_TELEMETRY_MISSING if it is not installed. */
export function loadApi(): Api {
  try {
    return createRequire(import.meta.url)("@opentelemetry/api") as Api;
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_TELEMETRY_MISSING",
      message: "`@opentelemetry/api` is not installed",
      fix: "Run `npm install @opentelemetry/api` and start an OpenTelemetry SDK, or remove the plugin from the configuration",
      cause,
    });
  }
}

/** Whether an application has started an SDK. */
export function isStarted({ ProxyTracerProvider, createNoopMeter, metrics, trace }: Api): boolean {
  const tracing = trace.getTracerProvider();
  if (!(tracing instanceof ProxyTracerProvider)) return true;
  if (tracing.getDelegateTracer("bylaw") !== undefined) return true;
  return metrics.getMeter("bylaw") !== createNoopMeter();
}
