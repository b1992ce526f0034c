import type { ChainHead } from "./follow-chain.ts";
import { OPEN_MS, type HeadKeeper } from "./kept-head.ts";

/** The head is saved at most this many milliseconds after an event. */
const KEEP_MS = 1_000;
/** How often the opening of a run catches up with others that write to it. */
const TRIES = 100;

interface GuardOptions {
  readonly keeper: HeadKeeper;
  /** The end of the log as read and verified. */
  readonly head: () => ChainHead;
  readonly catchUp: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Saves the heads of a run while it is open. */
export class ChainGuard {
  readonly #options: GuardOptions;
  #timer: NodeJS.Timeout | undefined;
  #refresh: NodeJS.Timeout | undefined;
  #keeping: Promise<void> | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Call it when the log has been read to its end. Checks the log against the saved heads. Throws BYLAW_CHAIN_BROKEN. */
  async opened(): Promise<void> {
    const { keeper, head, catchUp } = this.#options;
    for (let tries = 0; tries < TRIES; tries += 1) {
      await keeper.check(head());
      if (await keeper.keep(head())) break;
      await catchUp();
    }
    // An idle process must renew its entry among those that have the run open.
    this.#refresh = setInterval(() => this.grew(), OPEN_MS / 3).unref();
  }

  /** Saves the new head soon. Call it when the log has grown. */
  grew(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#keeping = this.#keep({ closing: false }).catch(this.#options.onError);
    }, KEEP_MS).unref();
  }

  /** Saves the last head. */
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
