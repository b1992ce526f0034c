import type { EventDraft, Kernel, LogEvent } from "@bylaw/kernel";
import type { StoreConflict } from "@bylaw/store";
import type { LogState } from "../state/log-state.ts";
import { conflict, guardRefusal } from "./journal-errors.ts";
import type { EventSubject } from "./log-follower.ts";
import { notBefore } from "./run-clock.ts";

interface AttemptOptions {
  readonly drafts: readonly EventDraft[];
  /** The events that were read since the decision was made. */
  readonly known: readonly EventSubject[];
  /** Whether another writer's event makes the drafts obsolete. */
  readonly stale: ((event: EventSubject) => boolean) | undefined;
  /** Whether the state before the drafts makes them obsolete. */
  readonly changed: ((state: LogState) => boolean) | undefined;
  readonly guards: Kernel["declared"]["guards"];
  /** The state after events that this run has not read yet. Throws if the session may not write there. */
  readonly stateAfter: (unseen: readonly LogEvent[]) => LogState;
  /** Whether to refuse drafts that are dated before the last event, so that they get a new date. */
  readonly redates: boolean;
}

/** One attempt to write drafts. The store may call `admit` several times; only the last call counts. */
export class CommitAttempt {
  readonly drafts: readonly EventDraft[];
  /** The events that the store showed last. */
  shown: readonly LogEvent[] = [];
  /** The time of the last event that the store showed, if the drafts are dated before it. */
  lastTime: string | undefined;
  readonly #options: AttemptOptions;
  #outdated: StoreConflict | undefined;

  constructor(options: AttemptOptions) {
    this.drafts = options.drafts;
    this.#options = options;
  }

  /** Throws unless the drafts may be written after `unseen`. */
  admit(unseen: readonly LogEvent[]): void {
    const { drafts, known, stale, changed, guards, stateAfter, redates } = this.#options;
    this.#outdated = undefined;
    this.shown = unseen;
    const state = stateAfter(unseen);
    if (stale !== undefined && (known.some(stale) || unseen.some(stale))) throw conflict();
    if (changed?.(state) === true) throw conflict();
    guardRefusal(guards, state, drafts);
    const last = unseen.at(-1)?.timestamp;
    if (!redates || drafts.every(({ timestamp }) => notBefore(timestamp, last) === timestamp))
      return;
    this.lastTime = last;
    this.#outdated = conflict();
    throw this.#outdated;
  }

  /** Whether the commit failed only because the drafts are dated before the last event. */
  isOutdated(error: unknown): boolean {
    return this.#outdated !== undefined && this.#outdated === error;
  }
}
