import type { LogEvent, Sink, View } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "../state/declared.ts";

const WRITTEN = Promise.resolve();

/** How many events may wait for a sink that is at work; further ones are kept from it. */
const BACKLOG = 50_000;

interface DeliveryOptions {
  /** Milliseconds that a sink may take to open and to close, and a required one to write. */
  readonly deadline_ms: number;
  /** Is told of what a sink that is not required throws, and a required one where no call waits for it. */
  readonly onError: (error: unknown) => void;
}

/** What required sinks were told, and who waits for it. */
interface Told {
  readonly done: Promise<unknown>;
  waiting: "a call" | "nobody" | "perhaps";
  failure?: { readonly error: unknown };
}

/** Tells the sinks of a run of its events, each sink of each event once and in the order of the log. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #queues: SinkQueue[] = [];
  /** By sequence. A failure stays until the call that caused the event has asked for it. */
  readonly #pending = new Map<number, Told>();
  readonly #reported = new Map<SinkQueue, unknown>();
  #closed = false;

  private constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Opens the sinks of a run. Throws what a required sink throws when it is opened, and closes those that were open by then. */
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
      else done.catch((error: unknown) => this.#report(queue, error));
    }
    if (required.length === 0) return;
    const told: Told = { done: Promise.all(required), waiting: "perhaps" };
    for (const { sequence } of events) this.#pending.set(sequence, told);
    told.done.then(
      () => events.forEach(({ sequence }) => this.#pending.delete(sequence)),
      (error: unknown) => {
        told.failure = { error };
        if (told.waiting === "nobody") this.#options.onError(error);
      },
    );
  }

  /** Resolves when the required sinks have written these events, and rejects with what stopped one of them. */
  written(events: readonly LogEvent[]): Promise<void> {
    if (this.#pending.size === 0) return WRITTEN;
    const waits = new Set<Promise<unknown>>();
    for (const { sequence } of events) {
      const told = this.#pending.get(sequence);
      if (told === undefined) continue;
      told.waiting = "a call";
      waits.add(told.done);
      this.#pending.delete(sequence);
    }
    const all = Promise.all(waits).then(() => {});
    all.catch(() => {});
    return all;
  }

  /** Says that nobody will wait for an event that was told so far. */
  forget(): void {
    if (this.#pending.size === 0) return;
    for (const told of new Set(this.#pending.values())) {
      if (told.waiting !== "perhaps") continue;
      told.waiting = "nobody";
      if (told.failure !== undefined) this.#options.onError(told.failure.error);
    }
    this.#pending.clear();
  }

  /** Waits for what is being written, and closes the sinks. Rejects with what stopped a required one. */
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
      this.#queues.push(new SinkQueue(await openWriter(sink, log, this.#options), required));
    } catch (error) {
      if (!required) return onError(error);
      await Promise.all(this.#queues.map((queue) => this.#end(queue).catch(onError)));
      throw error;
    }
  }

  // Never while it writes: one that is late is closed when it is done, and nobody waits for that.
  #end(queue: SinkQueue): Promise<void> {
    return within(this.#options.deadline_ms, queue.close());
  }

  // A sink that does not keep up fails at every event in the same way, and is reported once.
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
    // A sink that opens after all is not left open.
    opening
      .then(
        async (late) => late.close?.(),
        () => {},
      )
      .catch(onError);
    throw error;
  }
}

/** What one sink is told next, and when it has written that. */
interface Batch {
  readonly events: LogEvent[];
  view: View;
  readonly done: Promise<void>;
}

/** What comes while a sink is writing goes into one next batch: a file is flushed once for all of it. */
class SinkQueue {
  readonly required: boolean;
  readonly #writer: SinkWriter;
  #last: Promise<void> = Promise.resolve();
  #next: Batch | undefined;
  #overflow: Error | undefined;

  constructor(writer: SinkWriter, required: boolean) {
    this.#writer = writer;
    this.required = required;
  }

  async tell(events: readonly LogEvent[], view: View): Promise<void> {
    const waiting = this.#next?.events.length ?? 0;
    if (this.#next !== undefined && waiting + events.length > BACKLOG)
      throw (this.#overflow ??= new Error(
        `A sink does not keep up: ${waiting} events wait for it`,
      ));
    const batch = (this.#next ??= this.#begin(view));
    for (const event of events) batch.events.push(event);
    batch.view = view;
    return batch.done;
  }

  /** Closes the sink once it has written what it was told. */
  close(): Promise<void> {
    return this.#last.then(() => this.#writer.close?.());
  }

  #begin(view: View): Batch {
    this.#overflow = undefined;
    const write = async (): Promise<void> => {
      this.#next = undefined;
      await this.#writer.write(batch.events, batch.view);
    };
    const batch: Batch = { events: [], view, done: this.#last.then(write) };
    this.#last = batch.done.catch(() => {});
    return batch;
  }
}

function within<T>(deadline_ms: number, work: T | Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error(`A sink did not answer within ${deadline_ms} ms`);
  const timer = setTimeout(() => reject(error), deadline_ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
