import { setImmediate as turnOfLoop } from "node:timers/promises";

/** How many milliseconds it works before other tasks get a turn. */
const AT_ONCE_MS = 4;

/** Processes items in order and yields to others in between, because an item may be as large as a request and take as long. */
export async function forEachInTurns<T>(
  items: readonly T[],
  work: (item: T) => void,
  at_once_ms = AT_ONCE_MS,
): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since > at_once_ms) {
      await turnOfLoop();
      since = performance.now();
    }
    work(item);
  }
}
