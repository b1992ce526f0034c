import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { AuditCounts } from "../audit/audit-stats.ts";
import type { RouteName } from "../auth/refusal.ts";
import type { StreamEnd } from "../events/event-stream.ts";
import type { StepOutcome } from "../service/scheduler.ts";

/** Numbers that come from the log instead of this node. They are the same on every node and survive restarts. */
interface LogNumbers {
  readonly head: number;
  readonly open_approvals: number;
  readonly stats: Pick<ReturnType<AuditCounts["value"]>, "event_types" | "decisions">;
}

interface MetricsOptions {
  /** The event types that the kernel's plugins declare, and those of a run. */
  readonly types: ReadonlySet<string>;
  readonly numbers: () => Promise<LogNumbers>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Other codes count as `other`. */
const CODE = /^[a-z][a-z0-9_.]{0,63}$|^BYLAW_[A-Z_]{1,60}$/;
const EFFECTS: ReadonlySet<string> = new Set(["allow", "ask_user", "deny"]);
/** How many codes get a label of their own. */
const MAX_CODES = 200;

/** The metrics of a node, for Prometheus. No label has text that a client wrote. */
export class Metrics {
  readonly #register = new Registry();
  readonly #requests: Histogram;
  readonly #refused: Counter;
  readonly #streams: Gauge;
  readonly #streamEnds: Counter;
  readonly #steps: Counter;
  readonly #refusalCode = boundedLabel();
  readonly #numbers: MetricsOptions["numbers"];
  /** The numbers of the log, read once for each scrape. */
  #read: Promise<LogNumbers> | undefined;

  constructor({ types, numbers }: MetricsOptions) {
    this.#numbers = numbers;
    const registers = [this.#register];
    collectDefaultMetrics({ register: this.#register, prefix: "bylaw_" });
    this.#requests = new Histogram({
      name: "bylaw_http_request_duration_seconds",
      help: "Time from a request to the head of its answer",
      buckets: SECONDS,
      labelNames: ["method", "route", "status"],
      registers,
    });
    this.#refused = this.#counter("http_refused", "Requests that were refused, by code", "code");
    this.#streams = new Gauge({
      name: "bylaw_event_streams",
      help: "Clients that receive events",
      registers,
    });
    this.#streamEnds = this.#counter(
      "event_streams_ended",
      "Streams of events that ended, by reason",
      "how",
    );
    this.#steps = this.#counter("duty_steps", "Steps of scheduled work", "step", "outcome");
    this.#watchLog(types);
  }

  get contentType(): string {
    return this.#register.contentType;
  }

  async text(): Promise<string> {
    this.#read = undefined;
    return await this.#register.metrics();
  }

  answered({ method, path }: RouteName, status: number, duration_ms: number): void {
    const labels = { method: method.toUpperCase(), route: path, status: String(status) };
    this.#requests.observe(labels, duration_ms / 1_000);
  }

  refused(code: string): void {
    this.#refused.inc({ code: this.#refusalCode(code) });
  }

  streamOpened(): void {
    this.#streams.inc();
  }

  streamEnded(how: StreamEnd): void {
    this.#streams.dec();
    this.#streamEnds.inc({ how });
  }

  stepped(step: string, outcome: StepOutcome): void {
    this.#steps.inc({ step, outcome });
  }

  #counter(name: string, help: string, ...labelNames: readonly string[]): Counter {
    const labels = { labelNames: [...labelNames], registers: [this.#register] };
    return new Counter({ name: `bylaw_${name}_total`, help, ...labels });
  }

  /** A gauge that is read from the log at each scrape. */
  #logGauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    set: (gauge: Gauge, numbers: LogNumbers) => void,
  ): void {
    const collect = async (): Promise<void> => {
      gauge.reset();
      set(gauge, await (this.#read ??= this.#numbers()));
    };
    const options = { labelNames: [...labelNames], registers: [this.#register], collect };
    const gauge: Gauge = new Gauge({ name: `bylaw_${name}`, help, ...options });
  }

  #watchLog(types: ReadonlySet<string>): void {
    const codeOf = boundedLabel();
    this.#logGauge(
      "log_events",
      "Events of the run by type; the same on every node",
      ["event_type"],
      (gauge, { stats }) => {
        for (const [type, count] of Object.entries(stats.event_types))
          gauge.inc({ event_type: types.has(type) ? type : "other" }, count);
      },
    );
    this.#logGauge(
      "log_decisions",
      "Decisions of the run by effect and code; the same on every node",
      ["effect", "code"],
      (gauge, { stats }) => {
        for (const [name, count] of Object.entries(stats.decisions)) {
          const [effect = "", code = ""] = name.split(" ");
          gauge.inc({ effect: EFFECTS.has(effect) ? effect : "other", code: codeOf(code) }, count);
        }
      },
    );
    const readTo = "Sequence of the last event that this node has read";
    this.#logGauge("log_head", readTo, [], (gauge, { head }) => gauge.set(head));
    const open = "Questions that wait for a person; the same on every node";
    this.#logGauge("approvals_open", open, [], (gauge, log) => gauge.set(log.open_approvals));
  }
}

/** Creates the function that limits the number of codes in labels. */
function boundedLabel(): (code: string) => string {
  const known = new Set<string>();
  return (code) => {
    if (!CODE.test(code) || (known.size >= MAX_CODES && !known.has(code))) return "other";
    known.add(code);
    return code;
  };
}
