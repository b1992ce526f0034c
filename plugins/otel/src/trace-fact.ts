import type { LogEvent } from "@bylaw/kernel";
import type { Context, SpanContext } from "@opentelemetry/api";
import type { Api } from "./api.ts";

/** When a decision was asked for, and in which span. */
export interface TraceFact {
  /** Milliseconds since 1970, with fractions. */
  readonly asked_ms: number;
  /** The span that was active, as W3C Trace Context writes it. */
  readonly traceparent: string | undefined;
}

// Names the process. Others of the session may see its events too, and must not report them again.
const PROCESS = `${globalThis.crypto.randomUUID().slice(0, 8)} `;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** The time, in milliseconds since 1970, with fractions. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * The fact about the decision that is asked for now, as its event records it in `trace`: one text, because every field of an event is
 * hashed. Its time is in microseconds since the process began, because a small number is written and read sooner.
 */
export function traceFact({ trace }: Api): string {
  const active = trace.getActiveSpan()?.spanContext();
  const fact = `${PROCESS}${Math.round(performance.now() * 1_000)}`;
  return active !== undefined && trace.isSpanContextValid(active)
    ? `${fact} ${traceparentOf(active)}`
    : fact;
}

/** The fact in an event. `undefined` for a subject that could not be read, and "foreign" if another process asked. */
export function traceFactIn({ details: { trace } }: LogEvent): TraceFact | "foreign" | undefined {
  if (typeof trace !== "string") return undefined;
  if (!trace.startsWith(PROCESS)) return "foreign";
  const space = trace.indexOf(" ", PROCESS.length);
  const end = space === -1 ? trace.length : space;
  const micros = Number(trace.slice(PROCESS.length, end));
  return {
    asked_ms: performance.timeOrigin + micros / 1_000,
    traceparent: space === -1 ? undefined : trace.slice(end + 1),
  };
}

/** The context of a span that a traceparent names, which may have begun in another process. */
export function contextOf({ trace, ROOT_CONTEXT }: Api, traceparent: string): Context | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/**
 * The context of a run, the same in every process and after every resume: the id of its first session, which is as random as the id of a
 * trace.
 */
export function runContext({ trace, ROOT_CONTEXT }: Api, firstSession: string): Context {
  const traceId = firstSession.replaceAll("-", "").toLowerCase();
  const spanId = traceId.slice(0, 16);
  const span = { traceId, spanId, traceFlags: SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, span);
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
