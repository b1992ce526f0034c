import type { ChainHead } from "./follow-chain.ts";
import { OPEN_MS, type HeadKeeper } from "./kept-head.ts";

/** How long after an event its head is kept, at most. */
const KEEP_MS = 1_000;
/** How often a run that is opened while others write to it is read on. */
const TRIES = 100;

interface GuardOptions {
  readonly keeper: HeadKeeper;
  /** How far the log was read and followed. */
  readonly head: () => ChainHead;
  readonly catchUp: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Keeps the heads of a run while it is open. */
export class ChainGuard {
  readonly #options: GuardOptions;
  #timer: NodeJS.Timeout | undefined;
  #refresh: NodeJS.Timeout | undefined;
  #keeping: Promise<void> | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** For a log that is read to its end: checks it against the heads that were kept. Throws BYLAW_CHAIN_BROKEN. */
  async opened(): Promise<void> {
    const { keeper, head, catchUp } = this.#options;
    for (let tries = 0; tries < TRIES; tries += 1) {
      await keeper.check(head());
      if (await keeper.keep(head())) break;
      await catchUp();
    }
    // A process that has nothing to write is still there.
    this.#refresh = setInterval(() => this.grew(), OPEN_MS / 3).unref();
  }

  /** The log has more events: its head is kept soon. */
  grew(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#keeping = this.#keep({ closing: false }).catch(this.#options.onError);
    }, KEEP_MS).unref();
  }

  /** Keeps the last head. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    clearInterval(this.#refresh);
    await this.#keeping;
    await this.#options.catchUp();
    await this.#keep({ closing: true });
  }

  async #keep(options: { readonly closing: boolean }): Promise<void> {
    const { keeper, head, catchUp } = this.#options;
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await keeper.keep(head(), options)) return;
      await catchUp();
    }
    await keeper.check(head());
  }
}
