import type { LogEvent } from "@bylaw/kernel";
import type { Context, SpanContext } from "@opentelemetry/api";
import type { Api } from "./api.ts";

/** When a decision was asked for, by which process, and in which span. */
export interface TraceFact {
  /** Milliseconds since 1970, with fractions. */
  readonly asked_ms: number;
  /** Names the process. Other processes of the session may see the event too, and must not report it again. */
  readonly process: string;
  /** The span that was active, as W3C Trace Context writes it. */
  readonly traceparent: string | undefined;
}

const PROCESS = globalThis.crypto.randomUUID().slice(0, 8);
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** The time, in milliseconds since 1970, with fractions. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** The fact about the decision that is asked for now, as its event records it in `trace`: one text, because every field of an event is hashed. */
export function traceFact({ trace }: Api): string {
  const active = trace.getActiveSpan()?.spanContext();
  const fact = `${nowMs()} ${PROCESS}`;
  return active !== undefined && trace.isSpanContextValid(active)
    ? `${fact} ${traceparentOf(active)}`
    : fact;
}

/** The fact in an event. `undefined` for a subject that could not be read. */
export function traceFactIn({ details: { trace } }: LogEvent): TraceFact | undefined {
  if (typeof trace !== "string") return undefined;
  const [asked = "", process, traceparent] = trace.split(" ", 3);
  const asked_ms = Number(asked);
  return Number.isFinite(asked_ms) && process !== undefined
    ? { asked_ms, process, traceparent }
    : undefined;
}

/** Whether another process asked for the decision. */
export const isForeign = (fact: TraceFact | undefined): boolean =>
  fact !== undefined && fact.process !== PROCESS;

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
