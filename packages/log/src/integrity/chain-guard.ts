import type { ChainHead } from "./follow-chain.ts";
import { OPEN_MS, type HeadKeeper } from "./kept-head.ts";

/** How long after an event its head is kept, at most. */
const KEEP_MS = 1_000;
/** How often a run that is opened while others write to it is read on. */
const TRIES = 100;

/** Keeps the heads of a run while it is open. */
export interface ChainGuard {
  /** For a log that is read to its end: holds it against the heads that were kept. Throws BYLAW_CHAIN_BROKEN. */
  opened(): Promise<void>;
  /** The log has more events: its head is kept soon. */
  grew(): void;
  /** Keeps the last head. */
  close(): Promise<void>;
}

interface GuardOptions {
  readonly keeper: HeadKeeper;
  /** How far the log was read and followed. */
  readonly head: () => ChainHead;
  readonly catchUp: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export function createChainGuard({ keeper, head, catchUp, onError }: GuardOptions): ChainGuard {
  let timer: NodeJS.Timeout | undefined;
  let refresh: NodeJS.Timeout | undefined;
  let keeping: Promise<void> | undefined;

  async function keep(closing = false): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await keeper.keep(head(), { closing })) return;
      await catchUp();
    }
    await keeper.check(head());
  }

  function keepSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      keeping = keep().catch(onError);
    }, KEEP_MS).unref();
  }

  return {
    async opened() {
      for (let tries = 0; tries < TRIES; tries += 1) {
        await keeper.check(head());
        if (await keeper.keep(head())) break;
        await catchUp();
      }
      // A process that has nothing to write is still there.
      refresh = setInterval(keepSoon, OPEN_MS / 3).unref();
    },
    grew: keepSoon,
    async close() {
      clearTimeout(timer);
      clearInterval(refresh);
      await keeping;
      await catchUp();
      await keep(true);
    },
  };
}
