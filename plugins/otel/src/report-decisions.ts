import type { LogEvent, View } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "@bylaw/log";
import type { Context, Tracer } from "@opentelemetry/api";
import type { Api } from "./api.ts";
import { decisionIn, hookOf, spanAttributes, spanName } from "./attributes.ts";
import { followLog } from "./chain-check.ts";
import type { DecisionMetrics } from "./metrics.ts";
import { countOpen, openQuestions } from "./open-questions.ts";
import { contextOf, nowMs, runContext, traceFactIn } from "./trace-fact.ts";

interface Reporting {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly metrics: DecisionMetrics;
  readonly content: boolean;
}

/** Codes of decisions that no rule made, because something failed. */
const FAILED: ReadonlySet<string> = new Set(["check_failed", "engine_absent"]);

/** Reports each decision of a run that this process records: a span, and the metrics. */
export function reportDecisions(log: LogReader, reporting: Reporting): SinkWriter {
  const { api, metrics } = reporting;
  let view: View | undefined;
  let home: Context | undefined;
  const run = {
    questions: (): number => (view === undefined ? 0 : countOpen(view(openQuestions), Date.now())),
    chain: followLog(log),
  };
  const write = (events: readonly LogEvent[], context: Context): void => {
    for (const event of events) report(log.run, event, context, reporting);
  };
  metrics.opened(run);
  return {
    write(events, now) {
      view = now;
      if (home !== undefined) return write(events, home);
      return firstSession(log).then((session) => {
        home = runContext(api, session);
        write(events, home);
      });
    },
    close() {
      metrics.closed(run);
    },
  };
}

function report(
  run: string,
  event: LogEvent,
  home: Context,
  { api, tracer, metrics, content }: Reporting,
): void {
  const hook = hookOf(event);
  const fact = traceFactIn(event);
  if (hook === undefined || fact === "foreign") return;
  const startTime = fact?.asked_ms ?? Date.parse(event.timestamp);
  const parent = fact?.traceparent === undefined ? undefined : contextOf(api, fact.traceparent);
  const span = tracer.startSpan(spanName(hook, event), { startTime }, parent ?? home);
  const isRecording = span.isRecording();
  if (!isRecording && !metrics.isRecording) return;
  const end = nowMs();
  const decision = decisionIn(hook, event);
  metrics.decided(decision, fact && (end - startTime) / 1_000);
  if (!isRecording) return;
  span.setAttributes(spanAttributes(run, event, decision, { content }));
  const runSpan = api.trace.getSpanContext(home);
  // The span of the agent belongs to another trace, so the link leads to the other decisions of the run.
  if (parent !== undefined && runSpan !== undefined) span.addLink({ context: runSpan });
  if (FAILED.has(decision.code)) span.setStatus({ code: api.SpanStatusCode.ERROR });
  span.end(end);
}

async function firstSession(log: LogReader): Promise<string> {
  const [first] = await log.events(0, 1);
  return first?.session_id ?? log.session;
}
