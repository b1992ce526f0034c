const last = new Map<string, Promise<unknown>>();

/** Does work on a place when what this process began on it before is done, so that no change of it gets lost. */
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
