import type { Commit, Receipt } from "@bylaw/store";
import { appendBatch, appendsOf, writtenAsPlanned } from "./append-batch.ts";
import { BatchSender, type Perform } from "./batch-sender.ts";
import { sendCheckedBatch, type Outcome } from "./checked-batch.ts";
import type { Database } from "./database.ts";
import { readEvents } from "./events.ts";
import { failureOf, isMoved, unknownOutcome } from "./failures.ts";
import { HeadCache } from "./head-cache.ts";
import type { LongNames } from "./long-names.ts";
import { lastKnown, pendingCommit, type PendingCommit } from "./pending-commit.ts";
import { planBatch, type BatchEntry } from "./plan.ts";
import { deletePlaceholders, lockRows, readUnseen } from "./row-locks.ts";

/** For how many batches contention is remembered at most. */
const MOST_CONTENTION = 16;
/** The most commits that are decided in one transaction while rows are locked. */
const LOCKED = 500;

type OnHead = (run: string, key: string, head: number) => void;

/** Writes the commits of this process. Commits of one tick are sent in one statement. */
export class Writer {
  readonly heads = new HeadCache();
  readonly #database: Database;
  readonly #names: LongNames;
  readonly #sender: BatchSender;
  readonly #onHead: OnHead;
  readonly #queue: PendingCommit[] = [];
  /** The first of several commits under one request id, by run and id. */
  readonly #requests = new Map<string, Promise<Receipt>>();
  /** For how many more batches other processes are assumed to write to these runs. */
  #contention = 0;
  #work: Promise<void> | undefined;

  /** `onHead` is called for every run that this writer has appended to. */
  constructor(database: Database, names: LongNames, onHead: OnHead) {
    this.#database = database;
    this.#names = names;
    this.#sender = new BatchSender(database, names);
    this.#onHead = onHead;
  }

  /** Resolves when the commit is durable. */
  commit(commit: Commit): Promise<Receipt> {
    const pending = pendingCommit(commit, this.#names);
    if (pending.request !== undefined) return this.#commitOnce(pending, pending.request);
    this.#enqueue(pending);
    return pending.receipt;
  }

  /** Resolves when nothing is waiting to be written. */
  async idle(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** Removes this writer's row from the database. Nothing may be committed afterwards. */
  leave(): Promise<void> {
    return this.#sender.leave();
  }

  #enqueue(commit: PendingCommit): void {
    this.#queue.push(commit);
    // Wait for the end of the tick, so that all its commits share a batch.
    this.#work ??= nextTick().then(() => this.#drain());
  }

  /** Sends only the first of several commits with one request id. The others get its receipt, or are sent if it fails. */
  async #commitOnce(commit: PendingCommit, request: string): Promise<Receipt> {
    const id = JSON.stringify([commit.key, request]);
    for (let first = this.#requests.get(id); first !== undefined; first = this.#requests.get(id)) {
      const receipt = await first.catch(() => undefined);
      if (receipt !== undefined) return { events: receipt.events, replayed: true };
    }
    this.#requests.set(id, commit.receipt);
    try {
      this.#enqueue(commit);
      return await commit.receipt;
    } finally {
      this.#requests.delete(id);
    }
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const [first] = this.#queue;
      // Without locks, the slower of two writers might have to decide again and again.
      if (first !== undefined && this.#contention > 0 && first.admit !== undefined)
        await this.#decideLocked(first.key);
      else await this.#sendBatch(planBatch(this.#queue, this.heads));
      await nextTick();
    }
    this.#work = undefined;
  }

  async #sendBatch(entries: readonly BatchEntry[]): Promise<void> {
    let appends = this.#contention > 0 ? undefined : appendsOf(entries);
    this.#contention = Math.max(0, this.#contention - 1);
    const { write } = this.#database;
    await this.#send(
      () => entries,
      async (turn) => {
        if (appends === undefined) return sendCheckedBatch(write, turn, entries);
        try {
          await appendBatch(write, turn, appends);
          return writtenAsPlanned(entries);
        } catch (error) {
          // Another process writes to these runs. Only a checked batch reports how far they have grown.
          if (isMoved(error)) [appends, this.#contention] = [undefined, MOST_CONTENTION];
          throw error;
        }
      },
    );
  }

  /** Decides commits to one run while its rows are locked, so that no other writer can come between. */
  async #decideLocked(key: string): Promise<void> {
    const commits: PendingCommit[] = [];
    const others: PendingCommit[] = [];
    for (const commit of this.#queue.splice(0))
      (commit.key === key && commits.length < LOCKED ? commits : others).push(commit);
    this.#queue.push(...others);
    const all = commits.map((commit): BatchEntry => ({ commit, writes: true }));
    let entries: readonly BatchEntry[] = all;
    let left: readonly PendingCommit[] = [];
    const { heads } = this;
    const { lock_timeout_ms } = this.#database.settings;
    await this.#send(
      () => entries,
      (turn) =>
        this.#database.transactionOnce(async (query) => {
          [entries, left] = [all, []];
          if (await lockRows(query, { key, commits, heads, lock_timeout_ms })) this.#contend();
          else this.#contention = Math.max(0, this.#contention - 1);
          const rest = [...commits];
          const planned = planBatch(rest, heads);
          const outcomes = await sendCheckedBatch(query, turn, planned);
          if (rest.length > 0 || outcomes.some(([, { kind }]) => kind !== "written"))
            await deletePlaceholders(query, key, commits);
          [entries, left] = [planned, rest];
          return outcomes;
        }),
    );
    this.#queue.unshift(...left);
  }

  /** Sends entries and settles each of their commits. Never throws. */
  async #send(entriesNow: () => readonly BatchEntry[], perform: Perform): Promise<void> {
    const sent = await this.#sender.send(perform);
    const entries = entriesNow();
    const { target } = this.#database.settings;
    switch (sent.kind) {
      case "answered": {
        const again = sent.outcomes.flatMap(([entry, outcome]) => this.#deliver(entry, outcome));
        this.#queue.unshift(...again);
        return;
      }
      case "recovered":
        return this.#recover(entries, sent.firsts);
      case "unknown":
        for (const { commit, writes } of entries)
          commit.reject(writes ? unknownOutcome(target) : failureOf(sent.error, target));
        return;
      case "failed":
        if (sent.shared || entries.length === 1) {
          for (const { commit } of entries) commit.reject(failureOf(sent.error, target));
          return;
        }
        // One commit caused the failure. Send each alone, so that the others do not fail with it.
        for (const entry of entries) await this.#sendBatch([entry]);
    }
  }

  /** Settles the commits of a batch whose answer was lost. */
  async #recover(entries: readonly BatchEntry[], firsts: readonly string[]): Promise<void> {
    if (firsts.length === 0) {
      for (const [entry, outcome] of writtenAsPlanned(entries)) this.#deliver(entry, outcome);
      return;
    }
    for (const [at, entry] of entries.entries()) {
      const { commit } = entry;
      const first = Number(firsts[at] ?? 0);
      if (first === 0) {
        this.#queue.push(commit);
        continue;
      }
      try {
        const { length } = commit.bodies;
        const events = await readEvents(this.#database.query, commit.run, first - 1, length);
        this.#deliver(entry, { kind: "written", events });
      } catch (error) {
        commit.reject(failureOf(error, this.#database.settings.target));
      }
    }
  }

  /** Settles a commit, or returns it if it must be sent again. */
  #deliver({ commit, refusal, writes }: BatchEntry, outcome: Outcome): readonly PendingCommit[] {
    switch (outcome.kind) {
      case "written": {
        const { events } = outcome;
        this.heads.saw(commit.key, events);
        this.#onHead(commit.run, commit.key, events.at(-1)?.sequence ?? 0);
        commit.resolve({ events, replayed: false });
        return [];
      }
      case "replayed": {
        const { first, last } = outcome;
        readEvents(this.#database.query, commit.run, first - 1, last - first + 1).then(
          (events) => commit.resolve({ events, replayed: true }),
          commit.reject,
        );
        return [];
      }
      case "moved":
        if (writes || refusal !== undefined) {
          commit.attempts += 1;
          this.#contend();
        }
        return this.#catchUp(commit, outcome);
      case "refused":
        commit.reject(outcome.error);
        return [];
      case "stands":
        if (refusal === undefined) return [commit];
        commit.reject(refusal.error);
        return [];
    }
  }

  /** Adds events that a commit has not seen. Returns the commit if it now knows all; otherwise reads the rest and queues it again. */
  #catchUp(
    commit: PendingCommit,
    { sequence, link, unseen }: Extract<Outcome, { readonly kind: "moved" }>,
  ): readonly PendingCommit[] {
    commit.known = [...commit.known, ...unseen];
    commit.checked = true;
    this.heads.saw(commit.key, unseen);
    this.heads.moveTo(commit.key, sequence, link);
    if (unseen.length === 0 || lastKnown(commit) >= sequence) return [commit];
    readUnseen(commit, sequence, this.#database.query).then(
      () => this.#enqueue(commit),
      commit.reject,
    );
    return [];
  }

  /** Notes that another process has written to a run. The more often that happens, the longer it is remembered. */
  #contend(): void {
    this.#contention = Math.min(MOST_CONTENTION, 2 * this.#contention + 2);
  }
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
