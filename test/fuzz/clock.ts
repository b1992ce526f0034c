/** The number of tries, and the seed. */
export interface Fuzz {
  readonly runs: number;
  readonly seed: number;
}

const MAX_MS = 50;

/** Records the slowest of many operations, in milliseconds of processor time. */
export interface Clock {
  /** Whether an operation takes at most 50 ms. The best of several tries counts. */
  within(work: () => unknown, input: string): boolean;
  /** A sentence about the slowest operation. */
  told(): string;
}

/** A clock with nothing measured yet. */
export function createClock(): Clock {
  let slowest = { ms: 0, input: "" };
  return {
    within(work, input) {
      let ms = costOf(work);
      // The machine may be busy, and code is compiled on first use, so slow results are measured again.
      for (let again = 0; again < 10 && ms > (again < 3 ? MAX_MS / 2 : MAX_MS); again++)
        ms = Math.min(ms, costOf(work));
      if (ms > slowest.ms) slowest = { ms, input };
      return ms <= MAX_MS;
    },
    told: () =>
      `the slowest took ${slowest.ms.toFixed(1)} ms of ${MAX_MS} (\`${slowest.input.slice(0, 60).replace(/\s/g, " ")}\`)`,
  };
}

function costOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
