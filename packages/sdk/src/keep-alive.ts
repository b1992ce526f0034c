import { RateLimited, ServerFault, TokenExpired, Unavailable } from "./errors.ts";

/** What a heartbeat needs of its client. */
export interface HeartbeatClient {
  heartbeat(options: { readonly signal: AbortSignal }): Promise<{ readonly lease_until: string }>;
}

export interface HeartbeatOptions {
  /** Aborting it ends the heartbeat. The heartbeat aborts it when the claim is lost. */
  readonly alive: AbortController;
  /** Left out if another program made the claim. */
  readonly lease_until: string | undefined;
  readonly sleep: (
    ms: number,
    signal: AbortSignal | undefined,
    options: { readonly idle: true },
  ) => Promise<void>;
}

/** How long an answer with a newer token may take, in milliseconds. */
const SOON = 1_000;

/** Sends heartbeats, three per lease, until the claim ends. Does not keep the process alive, and never rejects. */
export function keepAlive(
  living: HeartbeatClient,
  { alive, lease_until, sleep }: HeartbeatOptions,
): void {
  const beat = async (): Promise<void> => {
    for (let until = lease_until, overtaken = false, soon = false; ;) {
      await sleep(soon ? SOON : rhythm(until), alive.signal, { idle: true });
      soon = false;
      try {
        until = (await living.heartbeat({ signal: alive.signal })).lease_until;
        overtaken = false;
      } catch (error) {
        // No answer does not mean that the claim is lost: the server may be back before the lease ends, or else report the loss. The same
        // is true for a token that was replaced once, because the answer with the newer one may be on its way.
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

// Clocks differ, so the pause stays within bounds whatever the end of the lease is.
function rhythm(until: string | undefined): number {
  const left = Date.parse(until ?? "") - Date.now();
  return Number.isNaN(left) ? 10_000 : Math.min(60_000, Math.max(1_000, left / 3));
}
