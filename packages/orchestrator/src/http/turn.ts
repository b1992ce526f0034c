import { AsyncResource } from "node:async_hooks";

let waiting: (() => void)[] = [];

/**
 * Works when all that came in this turn of the event loop has been read, one behind the other. Each look at a socket makes the processor
 * forget much of what it had learned of our code, and so does the rest of a request: what many need next is done for all of them in one go.
 */
export function atEndOfTurn(work: () => void): void {
  // In the context that it was asked in: who traces requests tells them apart by that.
  const context = new AsyncResource("BylawRequest");
  if (waiting.push(() => context.runInAsyncScope(work)) === 1) setImmediate(workAll);
}

function workAll(): void {
  const all = waiting;
  waiting = [];
  let done = 0;
  try {
    for (const work of all) {
      done += 1;
      work();
    }
  } finally {
    // What one throws is no reason to forget the others.
    for (const work of all.slice(done)) atEndOfTurn(work);
  }
}

let turn: Promise<void> | undefined;

/**
 * Resolves when all that came in this turn of the event loop has been looked at, so that its answers are written one after the other: a
 * client on the other side of a busy connection, or a proxy, is then woken once and not for each of them, which takes longer than to decide.
 */
export const endOfTurn = (): Promise<void> =>
  (turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  }));
