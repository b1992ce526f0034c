import { BylawError, type LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { NO_LINK, follows } from "../format/chain.ts";

/** The last event of a verified chain. */
export interface ChainHead {
  /** 0 before the first event. */
  readonly sequence: number;
  readonly hash: string;
}

/** The head of a log without events. */
export const NO_HEAD: ChainHead = { sequence: 0, hash: NO_LINK };

/**
 * Verifies events from a head on and returns the new head. Skips earlier events. Throws BYLAW_CHAIN_BROKEN at the first event that does not
 * follow.
 */
export function followChain(run: string, from: ChainHead, events: readonly LogEvent[]): ChainHead {
  let { sequence, hash } = from;
  for (const event of events) {
    if (event.sequence <= from.sequence) continue;
    sequence += 1;
    if (event.sequence !== sequence)
      throw chainBroken(run, `Event ${sequence} of run \`${run}\` is missing from the log.`);
    if (!follows(hash, event)) {
      throw chainBroken(
        run,
        `Event ${sequence} of run \`${run}\` does not follow from the one before it: one of the two was changed.`,
      );
    }
    hash = event.hash ?? "";
  }
  return { sequence, hash };
}

/** The error for a log that somebody has changed. */
export const chainBroken = (run: string, message: string): BylawError =>
  new BylawError({
    code: "BYLAW_CHAIN_BROKEN",
    message,
    fix: `Nothing is granted in this run. Look at it with \`bylaw log verify --store URL --run ${run}\`, then restore a backup of the store.`,
  });

export const isChainBroken = (error: unknown): error is BylawError =>
  error instanceof BylawError && error.code === "BYLAW_CHAIN_BROKEN";

/** Wraps `events` of a store: a row that holds no event counts as tampering and throws BYLAW_CHAIN_BROKEN. */
export function readEvents(store: Pick<Store, "events">, run: string): Store["events"] {
  return async (wanted, after, limit) => {
    try {
      return await store.events(wanted, after, limit);
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof TypeError)
        throw chainBroken(run, `A row after event ${after} of run \`${run}\` is not an event.`);
      throw error;
    }
  };
}
