/** Waits that end early when somebody calls `ring`. */
export interface Signal {
  /** Ends every wait that is under way, and the next one if there is none. */
  raise(): void;
  /** Resolves after so many milliseconds, or when it rings. */
  wait(ms: number): Promise<void>;
}

// The longest that a timer can wait.
const LONGEST_MS = 2 ** 31 - 1;

export function createSignal(): Signal {
  let rung = false;
  const waiting = new Set<() => void>();
  return {
    raise() {
      rung = waiting.size === 0;
      for (const end of waiting) end();
    },
    async wait(ms) {
      if (rung) {
        rung = false;
        return;
      }
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(end);
          resolve();
        };
        const timer = setTimeout(end, Math.min(Math.max(ms, 0), LONGEST_MS));
        waiting.add(end);
      });
    },
  };
}
