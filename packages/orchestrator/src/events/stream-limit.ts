/** Counts the streams that are open, so that nobody has too many. */
export interface StreamLimit {
  /** Takes a place for somebody; the function gives it back. `undefined` where there is none. */
  enter(who: string): (() => void) | undefined;
}

/** How many one caller may have on this node, and how many all have. */
const OF_ONE = 16;
const OF_ALL = 10_000;

export function createStreamLimit({
  of_one = OF_ONE,
  of_all = OF_ALL,
}: { readonly of_one?: number; readonly of_all?: number } = {}): StreamLimit {
  const open = new Map<string, number>();
  let all = 0;
  return {
    enter(who) {
      const own = open.get(who) ?? 0;
      if (own >= of_one || all >= of_all) return undefined;
      open.set(who, own + 1);
      all += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all -= 1;
        const rest = (open.get(who) ?? 1) - 1;
        if (rest === 0) open.delete(who);
        else open.set(who, rest);
      };
    },
  };
}
