import type { LogEvent } from "@bylaw/kernel";
import type { StoreReader } from "@bylaw/log";
import { ChangeSignal } from "../io/change-signal.ts";
import { eventsOf, noSuchRun, withReader, type StorePlace } from "./open-store.ts";

/** A run and its store. */
export interface RunPlace {
  readonly store: StorePlace;
  readonly run: string;
}

type Print = (events: readonly LogEvent[]) => Promise<void>;

/** How often to read the store if it reports no change, in milliseconds. */
const POLL_MS = 1_000;

/** Prints the last events of a run. Resolves to the sequence of the last one. Throws BYLAW_RUN_MISSING. */
export function lastOfRun(
  { store: place, run }: RunPlace,
  most: number,
  print: Print,
): Promise<number> {
  return withReader(place, async (store) => {
    const head = await headOf(store, run);
    if (head === 0) throw await noSuchRun(store, run);
    for await (const events of eventsOf(store, run, Math.max(0, head - most))) await print(events);
    return head;
  });
}

/** Prints the events of a run after a sequence as they are recorded, until it is stopped. */
export function followRun(
  { store: place, run }: RunPlace,
  after: number,
  print: Print,
  stopped: AbortSignal,
): Promise<void> {
  return withReader(place, async (store) => {
    let head = after;
    const signal = new ChangeSignal();
    const unwatch = await store.watch((grown) => {
      if (grown === run) signal.tell();
    });
    stopped.addEventListener("abort", signal.tell);
    try {
      while (!stopped.aborted) {
        for await (const events of eventsOf(store, run, head)) {
          await print(events);
          head = events.at(-1)?.sequence ?? head;
        }
        await signal.wait(POLL_MS);
      }
    } finally {
      unwatch();
    }
  });
}

// Finds the last sequence by bisection, since sequences have no gaps. No store has to read a long run for its end.
async function headOf(store: StoreReader, run: string): Promise<number> {
  const has = async (sequence: number): Promise<boolean> =>
    (await store.events(run, sequence - 1, 1)).length > 0;
  if (!(await has(1))) return 0;
  let low = 1;
  while (await has(low * 2)) low *= 2;
  let high = low * 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await has(middle)) low = middle;
    else high = middle;
  }
  return low;
}
