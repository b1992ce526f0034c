import type { LogEvent, Store } from "@bylaw/kernel";

/** Where the requests of each task stand that were held back. What they hand in may be large, and stays in the store. */
export interface Requests {
  add(event: LogEvent): void;
  /** Those of a task, the last ones first, of which one of that time comes before all others and those before it follow. */
  of(task: string, at: string): AsyncGenerator<LogEvent>;
}

interface Held {
  readonly sequence: number;
  readonly at: number;
}

/** How many requests are looked at for what a gate is about. */
const LOOKED_AT = 200;

export function createRequests(store: Pick<Store, "events">, run: string): Requests {
  const held = new Map<string, Held[]>();

  return {
    add({ event_type, task_id, sequence, timestamp }) {
      if (event_type !== "transition_blocked" || task_id === null) return;
      const known = held.get(task_id) ?? [];
      known.push({ sequence, at: Date.parse(timestamp) });
      held.set(task_id, known);
    },
    async *of(task, at) {
      const known = held.get(task) ?? [];
      const time = Date.parse(at);
      const opening = known.findLastIndex((one) => one.at === time);
      // However often the agent asks for something else: the request that opened the gate is found at once.
      const order = opening === -1 ? known.toReversed() : known.slice(Math.max(0, opening + 1 - LOOKED_AT), opening + 1).toReversed();
      for (const { sequence } of order.slice(0, LOOKED_AT)) yield* await store.events(run, sequence - 1, 1);
    },
  };
}
