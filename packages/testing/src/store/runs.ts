import { deepStrictEqual as equal } from "node:assert/strict";
import type { LogEvent } from "@bylaw/kernel";
import { StoreConflict, type Commit, type Receipt, type Store } from "@bylaw/store";
import { chainFaults } from "./chain.ts";
import { draft, logOf, upTo, type Group } from "./kit.ts";

/** What a writer adds to its commit. */
type Fields = Partial<Pick<Commit, "documents" | "request_id" | "admit">>;

/** A commit with its outcome. */
interface Sent {
  readonly run: string;
  readonly round: number;
  readonly seen: number;
  readonly request_id?: string;
  /** The events of the last call of `admit`. Left out if there was none. */
  readonly shown?: readonly LogEvent[];
  readonly receipt?: Receipt;
  readonly refusal?: unknown;
}

/** The number of events that each run gets in a round. */
const GROWTH = 3;
const REFUSAL = new Error("refused");

const admit = (): void => {};
const refuse = (): never => {
  throw REFUSAL;
};
const twin = (run: string, round: number): Fields => ({
  admit,
  request_id: `q${round}`,
  documents: [{ kind: "k", id: run, value: String(round), if_version: round - 1 }],
});

/** The writers to a run in each round, in this order: two of them are refused, and two send the same commit. */
const WRITERS: readonly ((run: string, round: number) => Fields)[] = [
  () => ({}),
  () => ({ admit }),
  (run, round) => ({
    admit: refuse,
    request_id: `refused ${round}`,
    documents: [{ kind: "refused", id: run, value: "v" }],
  }),
  twin,
  twin,
  (run) => ({ admit, documents: [{ kind: "k", id: run, value: "v", if_version: 99 }] }),
];

/** The promises of any store with more runs at once than it may keep in memory. */
export const runs: Group = {
  "have every acknowledged event once, at the place in its receipt, after the events that its `admit` saw":
    async ({ store }) => {
      await areWhole(store, await sendRound([store], 300, 1));
    },

  "are each reported to watchers": async ({ store }) => {
    const behind = new Set(namesOf(100));
    const notified = Promise.withResolvers<void>();
    const stop = await store.watch((run, head) => {
      if (head === 2 * GROWTH) behind.delete(run);
      if (behind.size === 0) notified.resolve();
    });
    const first = await sendRound([store], 100, 1);
    const second = await sendRound([store], 100, 2);
    await areWhole(store, [...first, ...second]);
    await notified.promise;
    stop();
  },

  "have no refused events, and repeated ones once, through any store over the same data": async ({
    store,
    another,
  }) => {
    const other = (await another()) ?? store;
    const all = await sendRound([store, other], 100, 1);
    await areWhole(other, all);
    for (const [run, sent] of byRun(all)) {
      equal(sent.map(outcomeOf).toSorted(), [
        "conflict",
        "refused",
        "replayed",
        "written",
        "written",
        "written",
      ]);
      const [first, second] = sent.filter(({ request_id }) => request_id === "q1");
      equal(first?.receipt?.events, second?.receipt?.events);
      equal(await store.get("refused", run), undefined);
      equal(await store.get("k", run), { version: 1, value: "1" });
    }
  },

  "continue where they were when the store is opened again": async ({ store, another }) => {
    const before = await sendRound([store], 100, 1);
    await store.close();
    const next = await another();
    if (next === undefined) return;
    const after = await sendRound([next], 100, 2);
    await areWhole(next, [...before, ...after]);
  },
};

const namesOf = (count: number): readonly string[] => upTo(count).map((n) => `r${n}`);

const byRun = (sent: readonly Sent[]): ReadonlyMap<string, readonly Sent[]> =>
  Map.groupBy(sent, ({ run }) => run);

function outcomeOf({ receipt, refusal }: Sent): string {
  if (receipt !== undefined) return receipt.replayed ? "replayed" : "written";
  if (refusal === REFUSAL) return "refused";
  return refusal instanceof StoreConflict && refusal.what === "document"
    ? "conflict"
    : String(refusal);
}

/** Asserts that each log has exactly what was acknowledged, in one chain, however it is paged, and each event where its `admit` saw it. */
async function areWhole(store: Store, all: readonly Sent[]): Promise<void> {
  const checks = [...byRun(all)].map(async ([run, sent]) => {
    const log = await logOf(store, run);
    const acknowledged = sent.flatMap(({ receipt }) =>
      receipt?.replayed === false ? receipt.events : [],
    );
    equal(
      acknowledged.toSorted((left, right) => left.sequence - right.sequence),
      log,
    );
    equal(log.length, GROWTH * (sent.at(-1)?.round ?? 0));
    equal(await chainFaults(log), []);
    const pages = [
      await store.events(run, 0, 2),
      await store.events(run, 2, 2),
      await store.events(run, 4, 2),
    ];
    equal(pages.flat(), log);
    for (const { seen, shown, receipt } of sent) {
      if (shown === undefined || receipt === undefined || receipt.replayed) continue;
      equal(shown, log.slice(seen, (receipt.events[0]?.sequence ?? 0) - 1));
    }
  });
  await Promise.all(checks);
}

/** Lets every writer of each run commit once, through the stores in turn. */
function sendRound(
  stores: readonly Store[],
  count: number,
  round: number,
): Promise<readonly Sent[]> {
  // Runs alternate, so that between two commits to one there is one to every other.
  const sent = WRITERS.flatMap((fieldsOf, writer) =>
    namesOf(count).map(async (run, at): Promise<Sent> => {
      const { admit, ...fields } = fieldsOf(run, round);
      // No writer has read everything, and each has read less than the one before.
      const seen = Math.max(0, (round - 1) * GROWTH - writer - 1);
      const events = [draft({ details: { run, round, writer } })];
      let shown: readonly LogEvent[] | undefined;
      const ask = (unseen: readonly LogEvent[]): void => {
        shown = unseen;
        admit?.(unseen);
      };
      const store = stores[(writer + at) % stores.length] as Store;
      try {
        const receipt = await store.commit({
          run,
          seen,
          events,
          ...fields,
          ...(admit && { admit: ask }),
        });
        return { run, round, seen, ...fields, ...(shown && { shown }), receipt };
      } catch (refusal) {
        return { run, round, seen, ...fields, refusal };
      }
    }),
  );
  return Promise.all(sent);
}
