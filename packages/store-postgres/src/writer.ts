import { randomUUID } from "node:crypto";
import type { Commit, Receipt } from "@bylaw/kernel";
import { Passing } from "@bylaw/log";
import { callBatch, type Outcome, type Turn } from "./batch-call.ts";
import { callBatchOn, growthsOf, writtenAsPlanned } from "./batch-on.ts";
import { pause, type Database } from "./database.ts";
import { readEvents } from "./events.ts";
import { failureOf, isBusy, isCertain, isLost, isMoved, isRace, isUnknown, unknownOutcome } from "./failures.ts";
import { createHeads, type Heads } from "./heads.ts";
import { holdCommits, readOn, releaseCommits } from "./held.ts";
import { itemOf, type Item } from "./item.ts";
import type { LongNames } from "./long-names.ts";
import { lastKnown, planBatch, type Entry } from "./plan.ts";

/** Writes the commits of this process, those of a turn in one statement. */
export interface Writer {
  commit(commit: Commit): Promise<Receipt>;
  readonly heads: Heads;
  /** Resolves when nothing is on its way. */
  idle(): Promise<void>;
  /** Forgets its place in the database; nothing is written afterwards. */
  leave(): Promise<void>;
}

/** For so many batches at most after one that met others the rows are held while commits are decided: else the slower never get through. */
const CAREFUL = 16;
/** So many commits at most are decided while rows are held. */
const HELD = 500;

type Perform = (turn: Turn) => Promise<readonly (readonly [Entry, Outcome])[]>;

/** `onHead` is told of every run that has grown by this writer. */
export function createWriter(database: Database, names: LongNames, onHead: (run: string, key: string, head: number) => void): Writer {
  const { target, lock_timeout_ms, retry_ms } = database.settings;
  const heads = createHeads();
  const writer = randomUUID();
  const twins = new Passing<Promise<Receipt>>();
  const queue: Item[] = [];
  // No batch of this number is in the database yet, and the one before is known there or known not to be.
  let batch = 0;
  let settled = false;
  // So many batches more it is assumed that others write to these runs.
  let careful = 0;
  let work: Promise<void> | undefined;

  function push(item: Item): void {
    queue.push(item);
    // After this turn, so that all that is committed in it goes together.
    work ??= new Promise<void>((resolve) => setImmediate(resolve)).then(drain);
  }

  const idle = async (): Promise<void> => (work === undefined ? undefined : work.then(idle));

  /** Somebody else has written to a run: the more often, the longer it is taken into account. */
  const crossed = (): void => void (careful = Math.min(CAREFUL, 2 * careful + 2));

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const [first] = queue;
      if (first !== undefined && careful > 0 && first.admit !== undefined) await insist(first.key);
      else await sendBatch(planBatch(queue, heads));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    work = undefined;
  }

  async function sendBatch(entries: readonly Entry[]): Promise<void> {
    let growths = careful > 0 ? undefined : growthsOf(entries);
    careful = Math.max(0, careful - 1);
    await send(
      () => entries,
      async (turn) => {
        if (growths === undefined) return callBatch(database.lane, turn, entries);
        try {
          await callBatchOn(database, turn, growths);
          return writtenAsPlanned(entries);
        } catch (error) {
          // Somebody else writes to these runs: for a while each batch is sent in the form that says how far they have grown.
          if (isMoved(error)) [growths, careful] = [undefined, CAREFUL];
          throw error;
        }
      },
    );
  }

  /** Sends entries until the database has taken them or certainly has not. Never throws: each commit is told what came of it. */
  async function send(entriesNow: () => readonly Entry[], perform: Perform): Promise<void> {
    const until = Date.now() + retry_ms;
    const fail = (error: unknown): void => entriesNow().forEach(({ item }) => item.reject(failureOf(error, target)));
    for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
      try {
        await names.save();
        if (!settled) await settle(until);
      } catch (error) {
        return fail(error);
      }
      batch += 1;
      settled = false;
      try {
        const outcomes = await perform({ writer, batch, lock_timeout_ms });
        settled = true;
        queue.unshift(...outcomes.flatMap(([entry, outcome]) => deliver(entry, outcome) ?? []));
        return;
      } catch (error) {
        const entries = entriesNow();
        if (!isCertain(error)) {
          let firsts: readonly string[] | undefined;
          try {
            firsts = await settle(until);
          } catch {
            for (const { item, writes } of entries) item.reject(writes ? unknownOutcome(target) : failureOf(error, target));
            return;
          }
          if (firsts !== undefined) return recover(entries, firsts);
        }
        // From here on it is certain that nothing was written.
        if (isMoved(error)) {
          // The server has said so itself, so this number is as good as new.
          batch -= 1;
          settled = true;
          continue;
        }
        if (isLost(error) || isRace(error) || isUnknown(error)) {
          if (Date.now() + wait > until) return fail(error);
          await pause(wait);
          continue;
        }
        if (entries.length === 1) return fail(error);
      }
      // One of them is the reason, and must not be that of the others.
      for (const entry of entriesNow()) await sendBatch([entry]);
      return;
    }
  }

  /** What came of the last batch: where each of its commits begins, or `undefined` where it was not written and never will be. */
  async function settle(until: number): Promise<readonly string[] | undefined> {
    for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
      try {
        const [row] = await database.lane<{ readonly firsts: readonly string[] }>("select * from {schema}.settle_batch($1, $2, $3)", [
          ...[lock_timeout_ms, writer, batch],
        ]);
        settled = true;
        return row?.firsts;
      } catch (error) {
        if (!(isLost(error) || isBusy(error)) || Date.now() + wait > until) throw failureOf(error, target);
        await pause(wait);
      }
    }
  }

  /** The answer to a batch was lost, but the batch was not. */
  async function recover(entries: readonly Entry[], firsts: readonly string[]): Promise<void> {
    for (const [at, entry] of entries.entries()) {
      const { item, ahead } = entry;
      if (firsts.length === 0) {
        // It went in the form that is written as planned or not at all.
        deliver(entry, { kind: "written", events: ahead?.events ?? [] });
        continue;
      }
      const first = Number(firsts[at] ?? 0);
      if (first === 0) {
        queue.push(item);
        continue;
      }
      try {
        deliver(entry, { kind: "written", events: await readEvents(database.query, item.run, first - 1, item.bodies.length) });
      } catch (error) {
        item.reject(failureOf(error, target));
      }
    }
  }

  /** Tells a commit what came of it; what is returned must be tried again. */
  function deliver({ item, refusal, writes }: Entry, outcome: Outcome): Item | undefined {
    const { run, key } = item;
    switch (outcome.kind) {
      case "written": {
        heads.saw(key, outcome.events);
        onHead(run, key, outcome.events.at(-1)?.sequence ?? 0);
        item.resolve({ events: outcome.events, replayed: false });
        return undefined;
      }
      case "replayed": {
        const { first, last } = outcome;
        readEvents(database.query, run, first - 1, last - first + 1).then(
          (events) => item.resolve({ events, replayed: true }),
          item.reject,
        );
        return undefined;
      }
      case "moved": {
        item.known = [...item.known, ...outcome.unseen];
        item.asked = true;
        if (writes || refusal !== undefined) {
          item.attempts += 1;
          crossed();
        }
        heads.saw(key, outcome.unseen);
        heads.at(key, outcome.sequence, outcome.link);
        if (outcome.unseen.length === 0 || lastKnown(item) >= outcome.sequence) return item;
        readOn(item, outcome.sequence, database.query).then(() => push(item), item.reject);
        return undefined;
      }
      case "refused":
        item.reject(outcome.error);
        return undefined;
      case "stands":
        if (refusal === undefined) return item;
        item.reject(refusal.error);
        return undefined;
    }
  }

  /** Decides commits to one run while its rows are held, so that nothing can come between. */
  async function insist(key: string): Promise<void> {
    const items: Item[] = [];
    const others: Item[] = [];
    for (const item of queue.splice(0)) (item.key === key && items.length < HELD ? items : others).push(item);
    queue.push(...others);
    const all = items.map((item): Entry => ({ item, writes: true }));
    let entries: readonly Entry[] = all;
    let left: readonly Item[] = [];
    await send(
      () => entries,
      (turn) =>
        database.transactionOnce(async (query) => {
          [entries, left] = [all, []];
          if (await holdCommits(query, { key, items, heads, lock_timeout_ms })) crossed();
          else careful = Math.max(0, careful - 1);
          const rest = [...items];
          const planned = planBatch(rest, heads);
          const outcomes = await callBatch(query, turn, planned);
          if (rest.length > 0 || outcomes.some(([, { kind }]) => kind !== "written")) await releaseCommits(query, key, items);
          [entries, left] = [planned, rest];
          return outcomes;
        }),
    );
    queue.unshift(...left);
  }

  /** Of those who send one request id at once, the first goes; the others have its receipt, or try for themselves. */
  async function once(item: Item, request: string): Promise<Receipt> {
    const id = JSON.stringify([item.key, request]);
    for (let first = twins.get(id); first !== undefined; first = twins.get(id)) {
      const receipt = await first.catch(() => undefined);
      if (receipt !== undefined) return { events: receipt.events, replayed: true };
    }
    twins.set(id, item.receipt);
    try {
      push(item);
      return await item.receipt;
    } finally {
      twins.delete(id);
    }
  }

  return {
    heads,
    commit(commit) {
      const item = itemOf(commit, names);
      if (item.request !== undefined) return once(item, item.request);
      push(item);
      return item.receipt;
    },
    idle,
    async leave() {
      if (batch > 0) await database.once("delete from {schema}.writers where id = $1", [writer]).catch(() => {});
    },
  };
}
