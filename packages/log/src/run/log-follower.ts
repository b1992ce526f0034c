import type { BylawError, LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { NO_LINK } from "../format/chain.ts";
import {
  followChain,
  isChainBroken,
  readEvents,
  type ChainHead,
} from "../integrity/follow-chain.ts";
import type { LogState } from "../state/log-state.ts";
import { currentSession } from "../state/session.ts";

const PAGE = 1_000;
/** How many events are kept in memory to check decisions that were made before them. */
const RECENT = 1_000;
/** How many expected states are kept. */
const EXPECTED = 256;

/** The agent and task of an event. */
export type EventSubject = Pick<LogEvent, "agent_id" | "task_id">;

interface FollowerOptions {
  readonly store: Store;
  readonly run: string;
  /** The state to start from. */
  readonly start: LogState;
  /** Called once with each group of new events, in the order of the log. */
  readonly onEvents: (events: readonly LogEvent[], state: LogState) => void;
  /**
   * Verifies the chain. At the first event that does not follow, this is called once; from then on nothing is read and every method throws
   * BYLAW_CHAIN_BROKEN.
   */
  readonly onBreak?: ((error: BylawError) => void) | undefined;
}

/** Reads a log from a state on, and keeps the state after the events read. */
export class LogFollower {
  readonly #options: FollowerOptions;
  readonly #events: Store["events"];
  #state: LogState;
  #broken: BylawError | undefined;
  #reading: Promise<number> | undefined;
  // Without details, which can be large.
  readonly #recent: EventSubject[] = [];
  // States after events that a store was about to write, with the link of the last event, in the order of the log.
  readonly #expected: { readonly link: string; readonly state: LogState }[] = [];

  constructor(options: FollowerOptions) {
    const { store, run, start, onBreak } = options;
    this.#options = options;
    this.#state = start;
    this.#events =
      onBreak === undefined ? (...asked) => store.events(...asked) : readEvents(store, run);
  }

  /** The state after the events read so far. */
  get state(): LogState {
    return this.#state;
  }

  /** The end of the chain that was read. */
  get head(): ChainHead {
    return headOf(this.#state);
  }

  /** Takes the next events and skips those taken before. `written`: the store has just written them for this process. */
  take(events: readonly LogEvent[], { written = false } = {}): void {
    this.#guarded(() => this.#take(events, written));
  }

  /** Reads up to a sequence or to the end. */
  async catchUp(until = Infinity): Promise<void> {
    // A page that is being read may have been requested too early. Wait for it, then continue.
    await this.#reading?.catch(() => {});
    while (this.#state.head < until) {
      if (this.#broken !== undefined) throw this.#broken;
      this.#reading ??= this.#readPage(until).finally(() => (this.#reading = undefined));
      const count = await this.#reading.catch((error: unknown) => {
        throw this.#noted(error);
      });
      if (count === 0) return;
    }
  }

  /** The state after the next events, which may never become durable. */
  ahead(unseen: readonly LogEvent[]): LogState {
    return this.#guarded(() => this.#ahead(unseen));
  }

  /** The agents and tasks of the events since an earlier state. `undefined` if that is too long ago. */
  since(before: LogState): readonly EventSubject[] | undefined {
    const missed = this.#state.head - before.head;
    return missed > this.#recent.length
      ? undefined
      : this.#recent.slice(this.#recent.length - missed);
  }

  #take(events: readonly LogEvent[], written: boolean): void {
    const { run, onEvents, onBreak } = this.#options;
    const fresh = events.filter(({ sequence }) => sequence > this.#state.head);
    if (fresh.length === 0) return;
    if (onBreak !== undefined && !written) followChain(run, this.head, fresh);
    this.#state = this.#expectedAfter(fresh.at(-1)) ?? this.#state.add(fresh);
    while ((this.#expected[0]?.state.head ?? Infinity) <= this.#state.head) this.#expected.shift();
    for (const { agent_id, task_id } of fresh) this.#recent.push({ agent_id, task_id });
    if (this.#recent.length > 2 * RECENT) this.#recent.splice(0, this.#recent.length - RECENT);
    onEvents(fresh, this.#state);
  }

  async #readPage(until: number): Promise<number> {
    const { head } = this.#state;
    const page = await this.#events(this.#options.run, head, Math.min(PAGE, until - head));
    this.#take(page, false);
    return page.length;
  }

  // The commits of a batch are each shown those before them, so usually all but the last event have been reduced already.
  #ahead(unseen: readonly LogEvent[]): LogState {
    let from = unseen.length;
    let next: LogState | undefined;
    while (from > 0 && (unseen[from - 1]?.sequence ?? 0) > this.#state.head) {
      next = this.#expectedAfter(unseen[from - 1]);
      if (next !== undefined) break;
      from -= 1;
    }
    const base = next ?? this.#state;
    const { run, onBreak } = this.#options;
    if (onBreak !== undefined) followChain(run, headOf(base), unseen.slice(from));
    const state = base.add(unseen.slice(from));
    const last = unseen.at(-1);
    if (
      last?.hash !== undefined &&
      last.sequence === state.head &&
      this.#expectedAfter(last) === undefined
    ) {
      if (this.#expected.length >= EXPECTED) this.#expected.length = 0;
      this.#expected.push({ link: last.hash, state });
    }
    return state;
  }

  /** The expected state after an event. Equal links mean the same log. */
  #expectedAfter(event: LogEvent | undefined): LogState | undefined {
    if (event?.hash === undefined) return undefined;
    return this.#expected.findLast(
      ({ link, state: { head } }) => head === event.sequence && link === event.hash,
    )?.state;
  }

  #guarded<T>(work: () => T): T {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return work();
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #noted(error: unknown): unknown {
    const { onBreak } = this.#options;
    if (onBreak !== undefined && this.#broken === undefined && isChainBroken(error)) {
      this.#broken = error;
      onBreak(error);
    }
    return error;
  }
}

const headOf = ({ head, view }: LogState): ChainHead => ({
  sequence: head,
  hash: view(currentSession)?.link ?? NO_LINK,
});
