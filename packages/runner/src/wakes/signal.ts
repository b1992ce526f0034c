/** Waits that end early when `raise` is called. */
export interface Signal {
  /** Ends every current wait, or the next one if there is none. */
  raise(): void;
  /** Resolves after this many milliseconds, or when the signal is raised. */
  wait(ms: number): Promise<void>;
}

// The longest time of a timer.
const MAX_MS = 2 ** 31 - 1;

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
        const timer = setTimeout(end, Math.min(Math.max(ms, 0), MAX_MS));
        waiting.add(end);
      });
    },
  };
}
