import { problem } from "../http/problem.ts";

interface Rate {
  /** Requests per second; 0 for no limit. */
  readonly per_second: number;
  /** How many may come at once. */
  readonly burst: number;
  /** Returns milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
}

interface Bucket {
  left: number;
  at: number;
}

/** How many agents are kept. A forgotten agent starts with a full burst. */
const AGENTS = 100_000;

/**
 * Creates the function that counts the requests of agents on this node, `count` at a time, and throws the problem of a request above the
 * limit. Returns `undefined` if there is no limit.
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
    // A batch larger than the burst passes when the bucket is full, and its excess delays later requests.
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
