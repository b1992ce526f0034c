import type { LogEvent, Sink, View } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "../state/declared.ts";

const WRITTEN = Promise.resolve();

/** How many events may wait for a sink that is at work; further ones are kept from it. */
const BACKLOG = 50_000;

/** Tells the sinks of a run of its events, each sink of each event once and in the order of the log. */
export interface Delivery {
  tell(events: readonly LogEvent[], view: View): void;
  /** Resolves when the required sinks have written these events, and rejects with what stopped one of them. */
  written(events: readonly LogEvent[]): Promise<void>;
  /** Says that nobody will wait for an event that was told so far. */
  forget(): void;
  /** Waits for what is being written, and closes the sinks. Rejects with what stopped a required one. */
  close(): Promise<void>;
}

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

/** Opens the sinks of a run. Throws what a required sink throws when it is opened, and closes those that were open by then. */
export async function openDelivery(
  sinks: readonly Sink[],
  log: LogReader,
  options: DeliveryOptions,
): Promise<Delivery> {
  const { deadline_ms, onError } = options;
  const lines: SinkLine[] = [];
  // Never while it writes: one that is late is closed when it is done, and nobody waits for that.
  const end = (line: SinkLine): Promise<void> => within(deadline_ms, line.close());
  for (const sink of sinks) {
    const required = sink.required === true;
    try {
      lines.push({ required, ...createLine(await openWriter(sink, log, options)) });
    } catch (error) {
      if (required) {
        await Promise.all(lines.map((line) => end(line).catch(onError)));
        throw error;
      }
      onError(error);
    }
  }
  const pending = new Map<number, Told>();
  const reported = new Map<SinkLine, unknown>();
  let closed = false;

  // One that does not keep up fails at every event in the same way, and is told of once.
  function report(line: SinkLine, error: unknown): void {
    if (reported.get(line) === error) return;
    reported.set(line, error);
    onError(error);
  }

  return {
    tell(events, view) {
      if (closed) return;
      const required: Promise<void>[] = [];
      for (const line of lines) {
        const done = line.tell(events, view);
        if (line.required) required.push(within(deadline_ms, done));
        else done.catch((error: unknown) => report(line, error));
      }
      if (required.length === 0) return;
      const told: Told = { done: Promise.all(required), waiting: "perhaps" };
      for (const { sequence } of events) pending.set(sequence, told);
      // A failure stays until the call that caused the event has asked for it.
      told.done.then(
        () => events.forEach(({ sequence }) => pending.delete(sequence)),
        (error: unknown) => {
          told.failure = { error };
          if (told.waiting === "nobody") onError(error);
        },
      );
    },
    written(events) {
      if (pending.size === 0) return WRITTEN;
      const waits = new Set<Promise<unknown>>();
      for (const { sequence } of events) {
        const told = pending.get(sequence);
        if (told === undefined) continue;
        told.waiting = "a call";
        waits.add(told.done);
        pending.delete(sequence);
      }
      const all = Promise.all(waits).then(() => {});
      all.catch(() => {});
      return all;
    },
    forget() {
      if (pending.size === 0) return;
      for (const told of new Set(pending.values())) {
        if (told.waiting !== "perhaps") continue;
        told.waiting = "nobody";
        if (told.failure !== undefined) onError(told.failure.error);
      }
      pending.clear();
    },
    async close() {
      closed = true;
      const ends = await Promise.allSettled(lines.map(end));
      const failures = ends.flatMap((one, index) =>
        one.status === "rejected"
          ? [{ required: lines[index]?.required === true, reason: one.reason as unknown }]
          : [],
      );
      const first = failures.find(({ required }) => required);
      for (const failure of failures) if (failure !== first) onError(failure.reason);
      if (first !== undefined) throw first.reason;
    },
  };
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
    // One that opens after all is not left open.
    opening
      .then(
        async (late) => late.close?.(),
        () => {},
      )
      .catch(onError);
    throw error;
  }
}

interface SinkLine {
  readonly required: boolean;
  tell(events: readonly LogEvent[], view: View): Promise<void>;
  /** Closes the sink once it has written what it was told. */
  close(): Promise<void>;
}

/** What one sink is told next, and when it has written that. */
interface Batch {
  readonly events: LogEvent[];
  view: View;
  readonly done: Promise<void>;
}

// What comes while a sink is writing goes into one next batch: a file is synchronised once for all of it.
function createLine(writer: SinkWriter): Omit<SinkLine, "required"> {
  let last: Promise<void> = Promise.resolve();
  let next: Batch | undefined;
  let overflow: Error | undefined;
  return {
    async tell(events, view) {
      if (next === undefined) {
        overflow = undefined;
        const write = async (): Promise<void> => {
          next = undefined;
          await writer.write(batch.events, batch.view);
        };
        const batch: Batch = { events: [], view, done: last.then(write) };
        next = batch;
        last = batch.done.catch(() => {});
      } else if (next.events.length + events.length > BACKLOG) {
        throw (overflow ??= new Error(
          `A sink does not keep up: ${next.events.length} events wait for it`,
        ));
      }
      for (const event of events) next.events.push(event);
      next.view = view;
      return next.done;
    },
    close: () => last.then(() => writer.close?.()),
  };
}

function within<T>(deadline_ms: number, work: T | Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error(`A sink did not answer within ${deadline_ms} ms`);
  const timer = setTimeout(() => reject(error), deadline_ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
