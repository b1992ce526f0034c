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
