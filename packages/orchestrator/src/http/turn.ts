let waiting: (() => void)[] = [];

/**
 * Works when all that came in this turn of the event loop has been read, one behind the other. Each look at a socket makes the processor
 * forget much of what it had learned of our code: what is done in one go takes a quarter less. May not throw.
 */
export function atEndOfTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(workAll);
}

function workAll(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) work();
}

let turn: Promise<void> | undefined;

/**
 * Resolves when all that came in this turn of the event loop has been looked at, so that its answers are written one after the other: a
 * client on the other side of a busy connection, or a proxy, is then woken once and not for each of them, which takes longer than to decide.
 */
export const endOfTurn = (): Promise<void> =>
  (turn ??= new Promise((resolve) => {
    atEndOfTurn(() => {
      turn = undefined;
      resolve();
    });
  }));
