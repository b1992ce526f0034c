import type { Counter, Histogram, Meter } from "@opentelemetry/api";
import type { Api } from "./api.ts";
import {
  METRICS,
  counterAttributes,
  latencyAttributes,
  type ReportedDecision,
} from "./attributes.ts";
import type { ChainCheck } from "./chain-check.ts";

/** What the gauges read of an open run. */
export interface OpenRun {
  readonly questions: () => number;
  readonly chain: ChainCheck;
}

/** Bounds of the latency, in seconds. A decision takes microseconds, a durable one milliseconds. */
const SECONDS = [0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** The metrics of this process, over all of its open runs. */
export class DecisionMetrics {
  readonly #decisions: Counter;
  readonly #latency: Histogram;
  readonly #open = new Set<OpenRun>();

  /** Whether an SDK records metrics, and not only spans. */
  readonly isRecording: boolean;

  constructor({ createNoopMeter }: Api, meter: Meter) {
    this.isRecording = meter !== createNoopMeter();
    this.#decisions = meter.createCounter(METRICS.decisions, {
      description: "Recorded decisions",
      unit: "{decision}",
    });
    this.#latency = meter.createHistogram(METRICS.latency, {
      description: "Time from a question to its recorded decision",
      unit: "s",
      advice: { explicitBucketBoundaries: SECONDS },
    });
    this.#gauge(
      meter,
      METRICS.questions,
      "Calls that wait for a person's answer",
      "{question}",
      () => this.#sum(({ questions }) => questions()),
    );
    this.#gauge(meter, METRICS.runs, "Open runs", "{run}", () => this.#sum(() => 1));
    this.#gauge(meter, METRICS.broken, "Open runs whose log was changed", "{run}", () =>
      this.#sum(async ({ chain }) => Number(await chain.broken())),
    );
  }

  opened(run: OpenRun): void {
    this.#open.add(run);
  }

  closed(run: OpenRun): void {
    this.#open.delete(run);
  }

  decided(decision: ReportedDecision, seconds: number | undefined): void {
    if (!this.isRecording) return;
    this.#decisions.add(1, counterAttributes(decision));
    if (seconds !== undefined) this.#latency.record(seconds, latencyAttributes(decision));
  }

  #gauge(
    meter: Meter,
    name: string,
    description: string,
    unit: string,
    read: () => Promise<number>,
  ): void {
    meter.createObservableGauge(name, { description, unit }).addCallback(async (result) => {
      result.observe(await read());
    });
  }

  async #sum(of: (run: OpenRun) => number | Promise<number>): Promise<number> {
    const numbers = await Promise.all([...this.#open].map(async (run) => of(run)));
    return numbers.reduce((sum, one) => sum + one, 0);
  }
}
