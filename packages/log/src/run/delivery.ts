import type { LogEvent, Sink, View } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "../state/declared.ts";

const WRITTEN = Promise.resolve();

/** How many events may wait for a busy sink. It does not get those beyond that. */
const BACKLOG = 50_000;

interface DeliveryOptions {
  /** Milliseconds that a sink may take to open and to close. For a required sink, also to write. */
  readonly deadline_ms: number;
  /** Called with what an optional sink throws, and with what a required sink throws if no call waits for it. */
  readonly onError: (error: unknown) => void;
}

/** The writes of required sinks that a call may wait for. */
interface Delivered {
  readonly done: Promise<unknown>;
  waiting: "a call" | "nobody" | "perhaps";
  failure?: { readonly error: unknown };
}

/** Delivers the events of a run to its sinks: each event once, in the order of the log. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #queues: SinkQueue[] = [];
  /** By sequence. A failure stays until the call that caused the event has asked for it. */
  readonly #pending = new Map<number, Delivered>();
  readonly #reported = new Map<SinkQueue, unknown>();
  #closed = false;

  private constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Opens the sinks of a run. If a required sink fails to open, closes the others and throws its error. */
  static async open(
    sinks: readonly Sink[],
    log: LogReader,
    options: DeliveryOptions,
  ): Promise<Delivery> {
    const delivery = new Delivery(options);
    for (const sink of sinks) await delivery.#open(sink, log);
    return delivery;
  }

  tell(events: readonly LogEvent[], view: View): void {
    if (this.#closed) return;
    const required: Promise<void>[] = [];
    for (const queue of this.#queues) {
      const done = queue.tell(events, view);
      if (queue.required) required.push(within(this.#options.deadline_ms, done));
    }
    if (required.length === 0) return;
    const delivery: Delivered = { done: Promise.all(required), waiting: "perhaps" };
    for (const { sequence } of events) this.#pending.set(sequence, delivery);
    delivery.done.then(
      () => events.forEach(({ sequence }) => this.#pending.delete(sequence)),
      (error: unknown) => {
        delivery.failure = { error };
        if (delivery.waiting === "nobody") this.#options.onError(error);
      },
    );
  }

  /** Resolves when the required sinks have written these events. Rejects with the error of one that failed. */
  written(events: readonly LogEvent[]): Promise<void> {
    if (this.#pending.size === 0) return WRITTEN;
    const waits = new Set<Promise<unknown>>();
    for (const { sequence } of events) {
      const delivery = this.#pending.get(sequence);
      if (delivery === undefined) continue;
      delivery.waiting = "a call";
      waits.add(delivery.done);
      this.#pending.delete(sequence);
    }
    const all = Promise.all(waits).then(() => {});
    all.catch(() => {});
    return all;
  }

  /** Drops the results for events delivered so far, because no call will wait for them. */
  forget(): void {
    if (this.#pending.size === 0) return;
    for (const delivery of new Set(this.#pending.values())) {
      if (delivery.waiting !== "perhaps") continue;
      delivery.waiting = "nobody";
      if (delivery.failure !== undefined) this.#options.onError(delivery.failure.error);
    }
    this.#pending.clear();
  }

  /** Waits for the current writes and closes the sinks. Rejects with the error of a required sink. */
  async close(): Promise<void> {
    this.#closed = true;
    const { onError } = this.#options;
    const failures: { readonly required: boolean; readonly error: unknown }[] = [];
    await Promise.all(
      this.#queues.map((queue) =>
        this.#end(queue).catch((error: unknown) =>
          failures.push({ required: queue.required, error }),
        ),
      ),
    );
    const first = failures.find(({ required }) => required);
    for (const failure of failures) if (failure !== first) onError(failure.error);
    if (first !== undefined) throw first.error;
  }

  async #open(sink: Sink, log: LogReader): Promise<void> {
    const { onError } = this.#options;
    const required = sink.required === true;
    try {
      const queue = new SinkQueue(await openWriter(sink, log, this.#options), {
        required,
        onError: (error) => required || this.#report(queue, error),
      });
      this.#queues.push(queue);
    } catch (error) {
      if (!required) return onError(error);
      await Promise.all(this.#queues.map((queue) => this.#end(queue).catch(onError)));
      throw error;
    }
  }

  // Never closes a sink while it writes. A sink that is late is closed when it is done, and nobody waits for that.
  #end(queue: SinkQueue): Promise<void> {
    return within(this.#options.deadline_ms, queue.close());
  }

  // A sink that does not keep up fails at every event in the same way, so that is reported once.
  #report(queue: SinkQueue, error: unknown): void {
    if (this.#reported.get(queue) === error) return;
    this.#reported.set(queue, error);
    this.#options.onError(error);
  }
}

async function openWriter(
  sink: Sink,
  log: LogReader,
  { deadline_ms, onError }: DeliveryOptions,
): Promise<SinkWriter> {
  const opening = Promise.resolve(log).then(sink.open.bind(sink));
  try {
    return await within(deadline_ms, opening);
  } catch (error) {
    // A sink that opens after the deadline is closed again.
    opening
      .then(
        async (late) => late.close?.(),
        () => {},
      )
      .catch(onError);
    throw error;
  }
}

/** The events of a sink's next write, and the promise of that write. */
interface Batch {
  readonly events: LogEvent[];
  view: View;
  readonly done: Promise<void>;
}

/** Collects the events that come while a sink is writing into one next batch, so that a file is flushed once for all of them. */
class SinkQueue {
  readonly required: boolean;
  readonly #writer: SinkWriter;
  readonly #onError: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();
  #next: Batch | undefined;
  #overflow: Error | undefined;

  /** `onError`: called once for each batch that was not written, and for each that was not taken. */
  constructor(
    writer: SinkWriter,
    options: { readonly required: boolean; readonly onError: (error: unknown) => void },
  ) {
    this.#writer = writer;
    this.required = options.required;
    this.#onError = options.onError;
  }

  tell(events: readonly LogEvent[], view: View): Promise<void> {
    const waiting = this.#next?.events.length ?? 0;
    if (this.#next !== undefined && waiting + events.length > BACKLOG) {
      this.#overflow ??= new Error(`A sink does not keep up: ${waiting} events wait for it`);
      this.#onError(this.#overflow);
      return this.required ? Promise.reject(this.#overflow) : WRITTEN;
    }
    const batch = (this.#next ??= this.#begin(view));
    for (const event of events) batch.events.push(event);
    batch.view = view;
    return batch.done;
  }

  /** Closes the sink once it has written its events. */
  close(): Promise<void> {
    const end = (): void | Promise<void> => this.#writer.close?.();
    return this.#last.then(end, end);
  }

  #begin(view: View): Batch {
    this.#overflow = undefined;
    const write = (): void | Promise<void> => {
      this.#next = undefined;
      return this.#writer.write(batch.events, batch.view);
    };
    // What `onError` throws must not stop later writes.
    const batch: Batch = { events: [], view, done: this.#last.then(write, write) };
    this.#last = batch.done.catch(this.#onError);
    return batch;
  }
}

function within<T>(deadline_ms: number, work: T | Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error(`A sink did not answer within ${deadline_ms} ms`);
  const timer = setTimeout(() => reject(error), deadline_ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
