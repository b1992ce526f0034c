import type { LogEvent, LogReader, Sink, SinkWriter, View } from "@bylaw/kernel";

/** Tells the sinks of a run of its events, each sink of each event once and in the order of the log. */
export interface Delivery {
  tell(events: readonly LogEvent[], view: View): void;
  /** Resolves when the required sinks have written these events, and rejects with what stopped one of them. */
  written(events: readonly LogEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** What one sink is told next, and when it has written that. */
interface Batch {
  readonly events: LogEvent[];
  view: View;
  readonly done: Promise<void>;
}

/**
 * Opens the sinks of a run. `onError` is told of what a sink that is not required throws; `deadline_ms` bounds a required one.
 * Throws what a required sink throws when it is opened.
 */
export async function openDelivery(
  sinks: readonly Sink[],
  log: LogReader,
  { deadline_ms, onError }: { readonly deadline_ms: number; readonly onError: (error: unknown) => void },
): Promise<Delivery> {
  const lines: SinkLine[] = [];
  for (const sink of sinks) {
    try {
      lines.push({ required: sink.required === true, ...createLine(await within(deadline_ms, sink.open(log))) });
    } catch (error) {
      if (sink.required === true) {
        for (const line of lines) await line.close().catch(onError);
        throw error;
      }
      onError(error);
    }
  }
  const pending = new Map<number, Promise<unknown>>();
  return {
    tell(events, view) {
      const required = lines.flatMap((line) => {
        const done = line.tell(events, view);
        if (line.required) return [within(deadline_ms, done)];
        done.catch(onError);
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
      await Promise.all(lines.map((line) => within(deadline_ms, line.idle()).catch(onError)));
      for (const line of lines) await line.close();
    },
  };
}

interface SinkLine {
  readonly required: boolean;
  tell(events: readonly LogEvent[], view: View): Promise<void>;
  idle(): Promise<void>;
  close(): Promise<void>;
}

// What comes while a sink is writing goes into one next batch: a file is synchronised once for all of it.
function createLine(writer: SinkWriter): Omit<SinkLine, "required"> {
  let last: Promise<void> = Promise.resolve();
  let next: Batch | undefined;
  return {
    tell(events, view) {
      if (next === undefined) {
        const batch: Batch = { events: [], view, done: last.then(() => write()) };
        const write = async (): Promise<void> => {
          next = undefined;
          await writer.write(batch.events, batch.view);
        };
        next = batch;
        last = batch.done.catch(() => {});
      }
      next.events.push(...events);
      next.view = view;
      return next.done;
    },
    idle: () => last,
    close: async () => writer.close?.(),
  };
}

function within<T>(deadline_ms: number, work: T | Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error(`Unexpected silence of a sink, expected it to answer within ${deadline_ms} ms`);
  const timer = setTimeout(() => reject(error), deadline_ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
