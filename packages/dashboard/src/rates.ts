import type { LogEvent } from "@bylaw/kernel";
import { appliedEffect, nameAt } from "./rows.ts";

const EFFECTS = ["allow", "ask_user", "deny"] as const;
type Effect = (typeof EFFECTS)[number];

/** How many decisions there were in a minute. */
export interface Minute extends Readonly<Record<Effect, number>> {
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

/** How many calls took at most so many milliseconds, from their decision to their result. */
export interface Latency {
  /** `null` for the last one, which has no upper bound. */
  readonly at_most_ms: number | null;
  readonly calls: number;
}

const MINUTE_MS = 60_000;
/** The last day. */
const MINUTES = 1_440;
const BOUNDS_MS = [10, 50, 100, 500, 1_000, 5_000, 10_000, 60_000, 300_000, Infinity] as const;
/** How many calls without a result are remembered. */
const OPEN = 10_000;

/** Counts decisions by minute and calls by duration. */
export class Rates {
  readonly #minutes = new Map<number, Record<Effect, number>>();
  #open = new Map<string, number>();
  #calls = BOUNDS_MS.map(() => 0);

  add({ event_type, timestamp, agent_id, details }: LogEvent): void {
    const time = Date.parse(timestamp);
    const applied = appliedEffect(details);
    const effect = EFFECTS.find((one) => one === applied);
    if (effect !== undefined && Number.isFinite(time)) this.#count(time, effect);
    const key = `${agent_id} ${nameAt(details, "id")}`;
    if (event_type === "tool_allowed" && typeof details["id"] === "string") {
      this.#open.set(key, time);
      if (this.#open.size > OPEN) this.#open.delete(this.#open.keys().next().value ?? "");
    } else if (event_type === "tool_result") {
      const began = this.#open.get(key);
      this.#open.delete(key);
      if (began === undefined) return;
      const index = BOUNDS_MS.findIndex((bound) => time - began <= bound);
      if (index !== -1) this.#calls[index] = (this.#calls[index] ?? 0) + 1;
    }
  }

  copy(): Rates {
    const copy = new Rates();
    for (const [at, counts] of this.#minutes) copy.#minutes.set(at, { ...counts });
    [copy.#open, copy.#calls] = [new Map(this.#open), [...this.#calls]];
    return copy;
  }

  get minutes(): readonly Minute[] {
    return [...this.#minutes].map(([at, counts]) => ({ at, ...counts }));
  }

  get latencies(): readonly Latency[] {
    return BOUNDS_MS.map((bound, index) => ({
      at_most_ms: Number.isFinite(bound) ? bound : null,
      calls: this.#calls[index] ?? 0,
    }));
  }

  #count(time: number, effect: Effect): void {
    const at = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const counts = this.#minutes.get(at) ?? { allow: 0, ask_user: 0, deny: 0 };
    counts[effect] += 1;
    this.#minutes.set(at, counts);
    if (this.#minutes.size > MINUTES) this.#minutes.delete(this.#minutes.keys().next().value ?? 0);
  }
}
