import { omitUndefined, type EventDraft, type Kernel, type LogEvent } from "@bylaw/kernel";
import type { Claim, Receipt, Store } from "@bylaw/store";
import type { LogState } from "../state/log-state.ts";
import { currentSession } from "../state/session.ts";
import { CommitAttempt } from "./commit-attempt.ts";
import type { ClaimDraft, Condition, TaskRequest } from "./journal-contract.ts";
import { guardRefusal, otherRun, superseded } from "./journal-errors.ts";
import type { LogFollower } from "./log-follower.ts";
import { dateAhead, notBefore, type RunClock } from "./run-clock.ts";
import type { Snapshots } from "./snapshot.ts";

/** How often an event gets a new date because another process wrote a later one first. */
const DATINGS = 10;

interface WriterOptions {
  readonly guards: Kernel["declared"]["guards"];
  readonly run: string;
  readonly store: Store;
  readonly snapshots: Snapshots;
  readonly log: LogFollower;
  readonly clock: RunClock;
  /** The session that writes. */
  readonly session: () => string;
  /** Whether several calls are waiting. */
  readonly underLoad: () => boolean;
}

/** Writes the events of one session, checked against the log as it is when they are written. */
export class EventWriter {
  readonly #options: WriterOptions;
  readonly #log: LogFollower;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** Resolves when the drafts are durable. `opening`: the session has not begun. */
  async commit(
    drafts: readonly EventDraft[],
    condition: Condition,
    { opening = false } = {},
  ): Promise<Receipt> {
    const { guards, snapshots, underLoad } = this.#options;
    const { before = this.#log.state } = condition;
    // Events read since the decision are checked here. The store shows the unread ones.
    const known = this.#log.since(before);
    const seen = known === undefined ? before.head : this.#log.state.head;
    const link = this.#log.state.view(currentSession)?.link ?? "";
    const snapshot = snapshots.due(this.#log.state, link, underLoad());
    let dated = drafts;
    for (let left = DATINGS; ; left -= 1) {
      const attempt = new CommitAttempt({
        drafts: dated,
        known: known ?? [],
        stale: condition.stale,
        changed: condition.outdated,
        guards,
        stateAfter: (unseen) => {
          const state = this.#log.ahead(unseen);
          if (!opening) this.#checkSession(state);
          return state;
        },
        redates: left > 0,
      });
      try {
        return await this.#write(attempt, condition, { seen, snapshot });
      } catch (error) {
        if (!attempt.isOutdated(error)) throw error;
        const timestamp = dateAhead(notBefore(this.#now(), attempt.lastTime), DATINGS - left);
        dated = dated.map((event) => ({ ...event, timestamp }));
      }
    }
  }

  async #write(
    attempt: CommitAttempt,
    { documents = [], task, request_id }: Condition,
    { seen, snapshot }: { readonly seen: number; readonly snapshot: ReturnType<Snapshots["due"]> },
  ): Promise<Receipt> {
    const { run, store } = this.#options;
    const receipt = await store.commit({
      run,
      events: attempt.drafts,
      documents: [...documents, ...snapshot],
      ...omitUndefined({ task, request_id }),
      seen,
      admit: (unseen) => attempt.admit(unseen),
    });
    const { events, replayed } = receipt;
    if (this.#log.state.head >= (events[0]?.sequence ?? 1) - 1)
      this.#log.take(events, { written: !replayed });
    else await this.#takeUp(events, replayed ? [] : attempt.shown);
    if (replayed) await this.#checkSessionNow();
    return receipt;
  }

  /** Resolves when a task is claimed and the event of its claim is durable, or to `undefined` if no task can be claimed. */
  async claim(request: TaskRequest, event: ClaimDraft): Promise<Claim | undefined> {
    const { run, store } = this.#options;
    let current: LogState | undefined;
    let shown: readonly LogEvent[] = [];
    const claim = await store.claim({
      ...request,
      seen: this.#log.state.head,
      admit: (unseen, wanted) => {
        if (wanted.run !== run) throw otherRun(wanted, run);
        shown = unseen;
        current = this.#log.ahead(unseen);
        this.#checkSession(current);
      },
      event: (wanted) => {
        const drafted = event(wanted);
        const state = current ?? this.#log.state;
        const timestamp = notBefore(drafted.timestamp, state.view(currentSession)?.at);
        const dated = { ...drafted, timestamp };
        guardRefusal(this.#options.guards, state, [dated]);
        return dated;
      },
    });
    if (claim === undefined) return undefined;
    if (claim.run !== run) throw otherRun(claim, run);
    await this.#takeUp([claim.event], current === undefined ? [] : shown);
    if (current === undefined) await this.#checkSessionNow();
    return claim;
  }

  /** Takes durable events and those before them. `shown`: what the store showed last, which is durable if the events follow it. */
  async #takeUp(events: readonly LogEvent[], shown: readonly LogEvent[]): Promise<void> {
    const first = events[0]?.sequence ?? 1;
    const follows =
      (shown[0]?.sequence ?? Infinity) <= this.#log.state.head + 1 &&
      shown.at(-1)?.sequence === first - 1;
    if (follows && this.#log.state.head < first - 1) {
      this.#log.take(shown);
      // Sinks get events of other processes separately, so that a failure there does not deny ours.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (this.#log.state.head < first - 1) await this.#log.catchUp(first - 1);
    if (this.#log.state.head < first - 1)
      throw new Error(`The log ends at ${this.#log.state.head}, before event ${first}`);
    this.#log.take(events);
  }

  // Two sessions at once have no order, so a superseded session records no more.
  #checkSession({ view }: LogState): void {
    const session = this.#options.session();
    const current = view(currentSession)?.session ?? session;
    if (current !== session) throw superseded(session, current);
  }

  // A replayed receipt comes without a check that this session still continues.
  async #checkSessionNow(): Promise<void> {
    await this.#log.catchUp();
    this.#checkSession(this.#log.state);
  }

  #now(): string {
    return this.#options.clock.time(this.#log.state.view(currentSession)?.at);
  }
}
