import type { LogEvent, Sink, View } from "@bylaw/kernel";

/** Tells the sinks of a run of its events, each sink of each event once and in the order of the log. */
export interface Delivery {
  tell(events: readonly LogEvent[], view: View): void;
  /** Resolves when the required sinks have written these events, and rejects with what stopped one of them. */
  written(events: readonly LogEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** `onError` is told of what a sink that is not required throws; `deadline_ms` bounds a required one. */
export function createDelivery(sinks: readonly Sink[], deadline_ms: number, onError: (error: unknown) => void): Delivery {
  const queues = sinks.map((sink) => ({ sink, last: Promise.resolve<unknown>(undefined) }));
  const pending = new Map<number, Promise<unknown>>();
  return {
    tell(events, view) {
      const required = queues.flatMap((queue) => {
        const write = queue.last.then(() => queue.sink.write(events, view));
        const bounded = queue.sink.required === true ? within(deadline_ms, write) : write;
        queue.last = bounded.catch(() => {});
        if (queue.sink.required === true) return [bounded];
        bounded.catch(onError);
        return [];
      });
      if (required.length === 0) return;
      const all = Promise.all(required);
      all.catch(() => {});
      for (const { sequence } of events) pending.set(sequence, all);
    },
    async written(events) {
      const waits = events.flatMap(({ sequence }) => pending.get(sequence) ?? []);
      for (const { sequence } of events) pending.delete(sequence);
      await Promise.all(waits);
    },
    async close() {
      await Promise.all(queues.map(({ last }) => within(deadline_ms, last).catch(onError)));
      for (const sink of sinks) await sink.close?.();
    },
  };
}

function within<T>(deadline_ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error(`Unexpected silence of a sink, expected it to write within ${deadline_ms} ms`);
  const timer = setTimeout(() => reject(error), deadline_ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
