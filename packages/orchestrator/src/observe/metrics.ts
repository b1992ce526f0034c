import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { RouteName } from "../http/route-name.ts";
import type { AuditStats } from "../audit/audit-stats.ts";
import type { StepOutcome } from "../service/scheduler.ts";

/** What is counted by the log and not by this node: it is the same on every node, and survives each of them. */
interface LogNumbers {
  readonly head: number;
  readonly open_approvals: number;
  readonly stats: Pick<AuditStats, "event_types" | "decisions">;
}

/** The numbers of a node, for Prometheus. No label holds anything that a client wrote. */
export interface Metrics {
  answered(route: Pick<RouteName, "method" | "path">, status: number, duration_ms: number): void;
  refused(code: string): void;
  streamOpened(): void;
  streamEnded(how: "closed" | "slow" | "failed"): void;
  stepped(step: string, outcome: StepOutcome): void;
  readonly contentType: string;
  text(): Promise<string>;
}

interface MetricsTerms {
  /** The types of events that the kernel's plugins declare, and those of a run. */
  readonly types: ReadonlySet<string>;
  readonly numbers: () => Promise<LogNumbers>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A code that is none of ours counts with the others. */
const CODE = /^[a-z][a-z0-9_.]{0,63}$|^BYLAW_[A-Z_]{1,60}$/;
/** So many codes are told apart. */
const CODES = 200;

export function createMetrics({ types, numbers }: MetricsTerms): Metrics {
  const registers = [new Registry()];
  const [register] = registers as [Registry];
  collectDefaultMetrics({ register, prefix: "bylaw_" });
  const requests = new Histogram({
    name: "bylaw_http_request_duration_seconds",
    help: "Time from a request to the head of its answer",
    buckets: SECONDS,
    labelNames: ["method", "route", "status"],
    registers,
  });
  const refusals = new Counter({
    name: "bylaw_http_refused_total",
    help: "Requests that were not let in, by the code of the answer",
    labelNames: ["code"],
    registers,
  });
  const open = new Gauge({
    name: "bylaw_event_streams",
    help: "Clients that are sent events",
    registers,
  });
  const ends = new Counter({
    name: "bylaw_event_streams_ended_total",
    help: "Streams of events that ended, by why",
    labelNames: ["how"],
    registers,
  });
  const steps = new Counter({
    name: "bylaw_duty_steps_total",
    help: "Steps of what time makes due",
    labelNames: ["step", "outcome"],
    registers,
  });
  const codes = bounded();
  const decided = bounded();
  // All that the log says is read once for each time that somebody asks.
  let read: Promise<LogNumbers> | undefined;
  const events = new Gauge({
    name: "bylaw_log_events",
    help: "Events of the run by type; the same on every node",
    labelNames: ["event_type"],
    registers,
    async collect() {
      this.reset();
      for (const [type, count] of Object.entries((await (read ??= numbers())).stats.event_types))
        this.inc({ event_type: types.has(type) ? type : "other" }, count);
    },
  });
  const decisions = new Gauge({
    name: "bylaw_log_decisions",
    help: "Decisions of the run by effect and code; the same on every node",
    labelNames: ["effect", "code"],
    registers,
    async collect() {
      this.reset();
      for (const [name, count] of Object.entries((await (read ??= numbers())).stats.decisions)) {
        const [effect = "", code = ""] = name.split(" ");
        const isEffect = effect === "allow" || effect === "ask_user" || effect === "deny";
        this.inc({ effect: isEffect ? effect : "other", code: decided(code) }, count);
      }
    },
  });
  const head = new Gauge({
    name: "bylaw_log_head",
    help: "Sequence of the last event that this node has read",
    registers,
    async collect() {
      this.set((await (read ??= numbers())).head);
    },
  });
  const waiting = new Gauge({
    name: "bylaw_approvals_open",
    help: "Questions that wait for a person; the same on every node",
    registers,
    async collect() {
      this.set((await (read ??= numbers())).open_approvals);
    },
  });
  void [events, decisions, head, waiting];

  return {
    answered: ({ method, path }, status, duration_ms) =>
      requests.observe(
        { method: method.toUpperCase(), route: path, status: String(status) },
        duration_ms / 1_000,
      ),
    refused: (code) => refusals.inc({ code: codes(code) }),
    streamOpened: () => open.inc(),
    streamEnded(how) {
      open.dec();
      ends.inc({ how });
    },
    stepped: (step, outcome) => steps.inc({ step, outcome }),
    contentType: register.contentType,
    async text() {
      read = undefined;
      return await register.metrics();
    },
  };
}

function bounded(): (code: string) => string {
  const known = new Set<string>();
  return (code) => {
    if (!CODE.test(code) || (known.size >= CODES && !known.has(code))) return "other";
    known.add(code);
    return code;
  };
}
