import { randomUUID } from "node:crypto";
import type { Commit, Receipt } from "@bylaw/kernel";
import { askAdmit } from "@bylaw/log";
import { callBatch, type Outcome, type Turn } from "./batch-call.ts";
import { callBatchOn, growthsOf, writtenAsPlanned } from "./batch-on.ts";
import { pause, type Database, type Query } from "./database.ts";
import { readEvents } from "./events.ts";
import { Thrown, failureOf, isBusy, isCertain, isLost, isMoved, isRace, isUnknown, unknownOutcome } from "./failures.ts";
import { createHeads, type Heads } from "./heads.ts";
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

/** How often a commit's head may move before its rows are held while it is decided. */
const ATTEMPTS = 3;
const PAGE = 5_000;
const CAREFUL = 16;

type Perform = (turn: Turn) => Promise<readonly (readonly [Entry, Outcome])[]>;

/** `onHead` is told of every run that has grown by this writer. */
export function createWriter(database: Database, names: LongNames, onHead: (run: string, key: string, head: number) => void): Writer {
  const { target, lock_timeout_ms, retry_ms } = database.settings;
  const heads = createHeads();
  const writer = randomUUID();
  const twins = new Map<string, Promise<Receipt>>();
  const queue: Item[] = [];
  // No batch of this number is in the database yet, and the one before is known there or known not to be.
  let batch = 0;
  let settled = false;
  // So many batches more are sent in the form for any commits.
  let careful = 0;
  let work: Promise<void> | undefined;

  function push(item: Item): void {
    queue.push(item);
    // After this turn, so that all that is committed in it goes together.
    work ??= new Promise<void>((resolve) => setImmediate(resolve)).then(drain);
  }

  const idle = async (): Promise<void> => (work === undefined ? undefined : work.then(idle));

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const insistent = queue.findIndex(({ attempts }) => attempts > ATTEMPTS);
      const [item] = insistent === -1 ? [] : queue.splice(insistent, 1);
      if (item === undefined) {
        await sendBatch(planBatch(queue, heads));
      } else {
        await insist(item);
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    work = undefined;
  }

  async function sendBatch(entries: readonly Entry[]): Promise<void> {
    let growths = careful > 0 ? undefined : growthsOf(entries);
    careful = Math.max(0, careful - 1);
    await send(entries, async (turn) => {
      if (growths === undefined) return callBatch(database.lane, turn, entries);
      try {
        await callBatchOn(database, turn, growths);
        return writtenAsPlanned(entries);
      } catch (error) {
        // Somebody else writes to these runs: for a while each batch is sent in the form that says how far they have grown.
        if (isMoved(error)) [growths, careful] = [undefined, CAREFUL];
        throw error;
      }
    });
  }

  /** Sends entries until the database has taken them or certainly has not. Never throws: each commit is told what came of it. */
  async function send(entries: readonly Entry[], perform: Perform): Promise<void> {
    const until = Date.now() + retry_ms;
    const fail = (error: unknown): void => entries.forEach(({ item }) => item.reject(failureOf(error, target)));
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
      for (const entry of entries) await sendBatch([entry]);
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
        if (writes || refusal !== undefined) item.attempts += 1;
        heads.saw(key, outcome.unseen);
        heads.at(key, outcome.sequence, outcome.link);
        if (outcome.unseen.length === 0 || lastKnown(item) >= outcome.sequence) return item;
        readOn(item, outcome.sequence).then(() => push(item), item.reject);
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

  async function readOn(item: Item, until: number, query: Query = database.query): Promise<void> {
    while (lastKnown(item) < until) {
      const page = await readEvents(query, item.run, lastKnown(item), Math.min(PAGE, until - lastKnown(item)));
      if (page.length === 0) return;
      item.known = [...item.known, ...page];
    }
  }

  /** Decides a commit while its rows are held, so that nothing can come between. */
  const insist = (item: Item): Promise<void> =>
    send([{ item, writes: true }], (turn) =>
      database.transactionOnce(async (query) => {
        const [held] = await query<{ readonly first: number | null; readonly head: number; readonly link: string }>(
          "select * from {schema}.lock_commit($1, $2, $3, $4)",
          [lock_timeout_ms, item.key, item.request ?? null, item.task === undefined ? null : JSON.stringify([item.task])],
        );
        if (held === undefined) throw new Error("Unexpected answer of lock_commit, expected a head");
        const on = { sequence: held.head, link: `sha256:${held.link}` };
        if (held.first === null) {
          await readOn(item, held.head, query);
          try {
            askAdmit(item.admit, () => item.known);
          } catch (error) {
            throw new Thrown(error);
          }
        }
        return callBatch(query, turn, [{ item, writes: true, on }]);
      }),
    );

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
