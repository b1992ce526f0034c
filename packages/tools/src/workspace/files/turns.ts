const last = new Map<string, Promise<unknown>>();

/** Runs work on a place after earlier work of this process on it, so that no change gets lost. */
export async function inTurn<T>(place: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(place);
  const mine = (async () => {
    await before?.catch(() => {});
    return work();
  })();
  last.set(place, mine);
  try {
    return await mine;
  } finally {
    if (last.get(place) === mine) last.delete(place);
  }
}
