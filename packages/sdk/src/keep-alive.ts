import { RateLimited, ServerFault, TokenExpired, Unavailable } from "./errors.ts";

/** What a heartbeat is sent through. */
export interface HeartbeatClient {
  heartbeat(options: { readonly signal: AbortSignal }): Promise<{ readonly lease_until: string }>;
}

export interface HeartbeatTerms {
  /** Aborting it ends the heartbeat; the heartbeat aborts it when the claim is lost. */
  readonly alive: AbortController;
  /** Unknown where the claim was made by somebody else. */
  readonly lease_until: string | undefined;
  readonly sleep: (
    ms: number,
    signal: AbortSignal | undefined,
    options: { readonly idle: true },
  ) => Promise<void>;
}

/** How long an answer with a newer token may be on its way, in milliseconds. */
const SOON = 1_000;

/** Gives signs of life, three in the time of a lease, until the claim ends. It keeps no process from ending and never rejects. */
export function keepAlive(
  living: HeartbeatClient,
  { alive, lease_until, sleep }: HeartbeatTerms,
): void {
  const beat = async (): Promise<void> => {
    for (let until = lease_until, overtaken = false, soon = false; ;) {
      await sleep(soon ? SOON : rhythm(until), alive.signal, { idle: true });
      soon = false;
      try {
        until = (await living.heartbeat({ signal: alive.signal })).lease_until;
        overtaken = false;
      } catch (error) {
        // Silence is no loss: the server may be back before the lease ends, and says so if it is not. Nor is a token that was overtaken
        // once: the answer with the newer one may be on its way.
        const crossed: boolean = error instanceof TokenExpired && !overtaken;
        if (
          !crossed &&
          !(
            error instanceof Unavailable ||
            error instanceof RateLimited ||
            error instanceof ServerFault
          )
        )
          alive.abort(error);
        if (alive.signal.aborted) return;
        overtaken ||= crossed;
        soon = crossed;
      }
    }
  };
  beat().catch(() => undefined);
}

// Clocks differ, so that no end of a lease is trusted too far.
function rhythm(until: string | undefined): number {
  const left = Date.parse(until ?? "") - Date.now();
  return Number.isNaN(left) ? 10_000 : Math.min(60_000, Math.max(1_000, left / 3));
}
