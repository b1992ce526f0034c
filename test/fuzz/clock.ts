/** How much is tried, and from which seed. */
export interface Fuzz {
  readonly runs: number;
  readonly seed: number;
}

const MOST_MS = 50;

/** Keeps the slowest of many works, in milliseconds of the processor. */
export interface Clock {
  /** Whether a work takes no more than 50 ms; of several tries the best counts. */
  within(work: () => unknown, input: string): boolean;
  /** What was slowest. */
  told(): string;
}

/** A clock with nothing measured yet. */
export function createClock(): Clock {
  let slowest = { ms: 0, input: "" };
  return {
    within(work, input) {
      let ms = costOf(work);
      // The machine may have been busy with something else, and code is compiled when it is first used.
      for (let again = 0; again < 10 && ms > (again < 3 ? MOST_MS / 2 : MOST_MS); again++)
        ms = Math.min(ms, costOf(work));
      if (ms > slowest.ms) slowest = { ms, input };
      return ms <= MOST_MS;
    },
    told: () =>
      `the slowest took ${slowest.ms.toFixed(1)} ms of ${MOST_MS} (\`${slowest.input.slice(0, 60).replace(/\s/g, " ")}\`)`,
  };
}

function costOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
