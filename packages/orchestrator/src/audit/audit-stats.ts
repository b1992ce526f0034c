import type { LogEvent } from "@bylaw/kernel";
import { CALL_EVENTS } from "@bylaw/log";
import { decisionIn, facts } from "./audit-facts.ts";
import { MAX_TASKS } from "./audit-index.ts";
import { setBounded } from "../service/bounded-map.ts";

/** A log can have any number of names, so all that come after these are counted together. */
const NAMES = 500;
const OTHERS = "(others)";

/** The counts of a run. */
export class AuditCounts {
  readonly #tools = new Map<string, number>();
  readonly #phases = new Map<string, number>();
  readonly #types = new Map<string, number>();
  readonly #decisions = new Map<string, number>();
  /** The phase of each task. */
  readonly #current = new Map<string, string>();
  #entries = 0;
  #successes = 0;
  #failures = 0;

  add(events: readonly LogEvent[]): void {
    for (const event of events) this.#take(event);
  }

  value() {
    const judged = this.#successes + this.#failures;
    return {
      total_entries: this.#entries,
      total_successes: this.#successes,
      total_failures: this.#failures,
      success_rate: judged === 0 ? 0 : this.#successes / judged,
      tools_used: Object.fromEntries(this.#tools),
      phases: Object.fromEntries(this.#phases),
      event_types: Object.fromEntries(this.#types),
      decisions: Object.fromEntries(this.#decisions),
    };
  }

  #take(event: LogEvent): void {
    const { event_type, details } = event;
    const { task, tool, success } = facts(event);
    this.#entries += 1;
    if (success === true) this.#successes += 1;
    if (success === false) this.#failures += 1;
    raise(this.#types, event_type);
    if (tool !== null && CALL_EVENTS.has(event_type)) raise(this.#tools, tool);
    if (task !== null && event_type === "phase_entered")
      setBounded(this.#current, task, String(details["to"]), MAX_TASKS);
    const phase = task === null ? undefined : this.#current.get(task);
    if (phase !== undefined) raise(this.#phases, phase);
    const { effect, code } = decisionIn(event);
    if (typeof effect === "string" && typeof code === "string")
      raise(this.#decisions, `${effect} ${code}`);
  }
}

function raise(counts: Map<string, number>, name: string): void {
  const known = name.slice(0, 256);
  const key = counts.size < NAMES || counts.has(known) ? known : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
