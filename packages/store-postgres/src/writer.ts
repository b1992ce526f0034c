import type { Commit, Receipt } from "@bylaw/store";
import { lockBatch, planBatch, sendBatch, type Batch } from "./batch.ts";
import { pause, type Database } from "./database.ts";
import {
  NotConnected,
  failureOf,
  isLost,
  isMoved,
  isRace,
  isUnknown,
  unknownOutcome,
} from "./failures.ts";
import { KnownEnds } from "./known-ends.ts";
import type { LongNames } from "./long-names.ts";
import { pendingCommit, type PendingCommit } from "./pending-commit.ts";

type OnHead = (run: string, key: string, head: number) => void;

/** The most events and characters of a batch, unless its only commit has more. */
const EVENTS = 2_000;
const CHARACTERS = 4_000_000;
/** For how many batches another process is expected to write to the same runs, after it did so once. */
const SHARED = 16;

/** Writes the commits of this process. Those of one tick of the event loop share a transaction, and so one flush of the disk. */
export class Writer {
  readonly ends = new KnownEnds();
  readonly #database: Database;
  readonly #names: LongNames;
  readonly #onHead: OnHead;
  readonly #queue: PendingCommit[] = [];
  /** For how many more batches another process is expected to write to the same runs. */
  #shared = 0;
  #work: Promise<void> | undefined;

  /** `onHead` is called for every run that this writer has appended to. */
  constructor(database: Database, names: LongNames, onHead: OnHead) {
    this.#database = database;
    this.#names = names;
    this.#onHead = onHead;
  }

  /** Resolves when the commit is durable. */
  commit(commit: Commit): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...pendingCommit(commit, this.#names), resolve, reject });
      this.#work ??= this.#drain();
    });
  }

  /** Resolves when nothing is waiting to be written. */
  async idle(): Promise<void> {
    await this.#work;
  }

  async #drain(): Promise<void> {
    for (;;) {
      // Wait for the end of the tick, so that all its commits share a batch.
      await nextTick();
      if (this.#queue.length === 0) break;
      await this.#write(this.#take());
    }
    this.#work = undefined;
  }

  #take(): readonly PendingCommit[] {
    let [taken, events, characters] = [0, 0, 0];
    for (const { bodies } of this.#queue) {
      if (taken > 0 && (events >= EVENTS || characters >= CHARACTERS)) break;
      taken += 1;
      events += bodies.length;
      for (const { text } of bodies) characters += text.length;
    }
    return this.#queue.splice(0, taken);
  }

  /** Writes commits and settles each of them, or all when the server does not answer in time. Never throws. */
  async #write(commits: readonly PendingCommit[]): Promise<void> {
    const { retry_ms } = this.#database.settings;
    const until = Date.now() + retry_ms;
    let left = commits;
    for (let wait = 10; left.length > 0;) {
      try {
        left = await this.#attempt(left);
      } catch (error) {
        const again = isLost(error) || isRace(error) || isUnknown(error);
        if (!again && left.length > 1) {
          // One commit caused the failure. Send each alone, so that the others do not fail with it.
          for (const one of left) await this.#write([one]);
          return;
        }
        if (!again || Date.now() + wait > until) {
          for (const one of left) this.#fail(one, error);
          return;
        }
        if (isMoved(error)) this.#shared = SHARED;
        else await pause(wait);
        // A server that can be reached is asked again at once.
        wait = error instanceof NotConnected ? Math.min(wait * 2, 500) : 10;
      }
    }
  }

  /** Resolves to the commits that have to be sent again. */
  async #attempt(commits: readonly PendingCommit[]): Promise<readonly PendingCommit[]> {
    const { lock_timeout_ms } = this.#database.settings;
    let sent: Batch | undefined;
    try {
      await this.#names.save();
      const planned = this.#shared > 0 ? undefined : planBatch(commits, this.ends);
      this.#shared = Math.max(0, this.#shared - 1);
      const { outcomes, logs } = await this.#database.transactionOnce(async (query) => {
        sent = planned ?? (await lockBatch(query, commits, lock_timeout_ms));
        sendBatch(query, sent, lock_timeout_ms);
        return sent;
      });
      for (const [run, end] of logs.ends()) this.ends.set(run, end);
      for (const [pending, outcome] of outcomes) {
        if ("error" in outcome) {
          pending.reject(outcome.error);
          continue;
        }
        this.#onHead(pending.commit.run, pending.run, logs.head(pending.run));
        pending.resolve(outcome);
      }
      return commits.filter((pending) => !outcomes.has(pending));
    } catch (error) {
      if (isUnknown(error) && sent !== undefined) noteAttempt(sent);
      throw error;
    }
  }

  #fail({ attempts, reject }: PendingCommit, error: unknown): void {
    const { target } = this.#database.settings;
    reject(attempts.length > 0 ? unknownOutcome(target) : failureOf(error, target));
  }
}

/** Notes what a batch would have written. The database, once it answers again, tells whether it has. */
function noteAttempt({ id, outcomes, logs }: Batch): void {
  for (const [pending, outcome] of outcomes) {
    if ("events" in outcome && !outcome.replayed)
      pending.attempts.push({ batch: id, last: logs.head(pending.run), events: outcome.events });
  }
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
