import { problem } from "../http/problem.ts";

interface Rate {
  /** Requests in a second; 0: any number. */
  readonly per_second: number;
  /** How many may come at once. */
  readonly burst: number;
  /** Milliseconds, of a clock that only goes on. */
  readonly clock?: () => number;
}

interface Bucket {
  left: number;
  at: number;
}

/** How many agents are remembered. A forgotten agent starts with a full burst. */
const AGENTS = 100_000;

/**
 * Makes the function that counts the requests of agents on this node, several at once where it says so, and throws the problem of one too
 * many; none where any number may come.
 */
export function createRateLimit({
  per_second,
  burst,
  clock = () => performance.now(),
}: Rate): ((agent: string, count?: number) => void) | undefined {
  if (per_second === 0) return undefined;
  const buckets = new Map<string, Bucket>();
  return (agent, count = 1) => {
    const at = clock();
    let bucket = buckets.get(agent);
    if (bucket === undefined) {
      const [oldest] = buckets.size >= AGENTS ? buckets.keys() : [];
      if (oldest !== undefined) buckets.delete(oldest);
      buckets.set(agent, (bucket = { left: burst, at }));
    }
    bucket.left = Math.min(burst, bucket.left + ((at - bucket.at) / 1_000) * per_second);
    bucket.at = at;
    // More than ever come at once are let in when that many may, and made up for afterwards.
    const wanted = Math.min(count, burst);
    if (bucket.left >= wanted) {
      bucket.left -= count;
      return;
    }
    const wait = Math.max(1, Math.ceil((wanted - bucket.left) / per_second));
    throw problem({
      status: 429,
      code: "BYLAW_RATE_EXCEEDED",
      detail: `Rate limit reached: ${per_second} per second for one agent`,
      fix: `Wait ${wait} s.`,
      headers: { "retry-after": String(wait) },
    });
  };
}
