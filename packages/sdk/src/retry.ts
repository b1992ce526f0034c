/** How often and how long a request is retried. */
export interface RetryOptions {
  /** All attempts, including the first. Default 8; 1 never retries. */
  readonly attempts?: number;
  /** The first pause in milliseconds. Each next one is twice as long. Default 100. */
  readonly base_ms?: number;
  /** The longest pause of the client's own choice in milliseconds. Default 5,000. A `Retry-After` may ask for more. */
  readonly cap_ms?: number;
  /** Milliseconds after the first attempt by which every pause must end. Default 60,000. */
  readonly give_up_ms?: number;
}

/** The complete retry options. */
export type RetryRules = Required<RetryOptions>;

/** Fills in defaults. */
export const retryRules = ({
  attempts = 8,
  base_ms = 100,
  cap_ms = 5_000,
  give_up_ms = 60_000,
}: RetryOptions): RetryRules => ({ attempts, base_ms, cap_ms, give_up_ms });

/**
 * The pause after attempt number `attempt` (from 1) in milliseconds. It doubles each time up to the cap, plus up to a quarter at random, so
 * that agents which lost the connection together do not return together. Never shorter than the server asked for.
 */
export function pauseOf(
  attempt: number,
  rules: RetryRules,
  { random, asked_ms }: { random: number; asked_ms: number | undefined },
): number {
  const own = Math.min(rules.cap_ms, rules.base_ms * 2 ** (attempt - 1));
  return Math.round(Math.max(own, asked_ms ?? 0) * (1 + random / 4));
}

/** A `Retry-After` header, in seconds or as a date, as milliseconds from now. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Waits. With `idle`, it does not keep the process alive. */
export type Sleep = (
  ms: number,
  signal: AbortSignal | undefined,
  options?: { readonly idle?: boolean },
) => Promise<void>;

/** Waits, or rejects with the signal's reason when it is aborted. */
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
    // Timers are numbers in browsers.
    if (idle && typeof timer === "object") timer.unref();
    signal?.addEventListener("abort", stop, { once: true });
  });
};
