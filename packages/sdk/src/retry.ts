/** How often and how long a request is made again. */
export interface RetryOptions {
  /** Attempts in all, the first included. Default 8. 1 never retries. */
  readonly attempts?: number;
  /** The first pause in milliseconds; each next one is twice as long. Default 100. */
  readonly base_ms?: number;
  /** The longest pause of its own in milliseconds. Default 5,000. A `Retry-After` may ask for more. */
  readonly cap_ms?: number;
  /** No pause begins that would end later than this after the first attempt, in milliseconds. Default 60,000. */
  readonly give_up_ms?: number;
}

/** All of it, with what was left out. */
export type RetryRules = Required<RetryOptions>;

/** What was left out, filled in. */
export const retryRules = ({
  attempts = 8,
  base_ms = 100,
  cap_ms = 5_000,
  give_up_ms = 60_000,
}: RetryOptions): RetryRules => ({ attempts, base_ms, cap_ms, give_up_ms });

/**
 * The pause after attempt number `attempt` (from 1) in milliseconds: doubled each time up to the cap, and up to a quarter longer by chance,
 * so that agents which were cut off together do not come back together. Never shorter than what the server asked for.
 */
export function pauseOf(
  attempt: number,
  rules: RetryRules,
  { random, asked_ms }: { random: number; asked_ms: number | undefined },
): number {
  const own = Math.min(rules.cap_ms, rules.base_ms * 2 ** (attempt - 1));
  return Math.round(Math.max(own, asked_ms ?? 0) * (1 + random / 4));
}

/** A `Retry-After` header in milliseconds from now: seconds, or a date. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** How it waits: `idle` keeps no process from ending. */
export type Sleep = (
  ms: number,
  signal: AbortSignal | undefined,
  options?: { readonly idle?: boolean },
) => Promise<void>;

/** Waits, and stops waiting when the signal says so: it rejects with its reason then. */
export const sleep: Sleep = (ms, signal, { idle = false } = {}) => {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    // Browsers have numbers for timers.
    if (idle && typeof timer === "object") timer.unref();
    signal?.addEventListener("abort", stop, { once: true });
  });
};
