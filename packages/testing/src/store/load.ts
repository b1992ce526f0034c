import { deepStrictEqual as equal } from "node:assert/strict";
import { StoreConflict, type Store } from "@bylaw/store";
import { chainFaults } from "./chain.ts";
import {
  addTasks,
  draft,
  logOf,
  sequences,
  sweepLeases,
  take,
  upTo,
  write,
  type Group,
} from "./kit.ts";

const WORKERS = 16;
const OPERATIONS = 30;

/** The promises of a store under a mixed load. */
export const load: Group = {
  "leaves every log without a gap, and refused writes without a trace": async ({
    store,
    another,
  }) => {
    await addTasks(store, 5);
    const stores = [store, (await another()) ?? store];
    let written = 5;
    const unexpected: unknown[] = [];
    const work = async (worker: number): Promise<void> => {
      for (const step of upTo(OPERATIONS)) {
        try {
          const added = await operate(stores[worker % 2] as Store, worker, step);
          written += added;
        } catch (error) {
          if (!(error instanceof StoreConflict)) unexpected.push(error);
        }
      }
    };
    await Promise.all(upTo(WORKERS).map(work));
    equal(unexpected, []);
    const logs = await Promise.all(["r0", "r1", "r2"].map((run) => logOf(store, run)));
    for (const log of logs) {
      equal(sequences(log), upTo(log.length));
      equal(await chainFaults(log), []);
    }
    equal(logs.flat().length, written);
  },
};

/** One operation of a mixed load. Resolves to the number of events that it wrote. */
async function operate(store: Store, worker: number, step: number): Promise<number> {
  const choice = (worker * 31 + step * 7) % 5;
  const run = `r${(worker + step) % 3}`;
  if (choice === 0) {
    const claim = await take(store, `a${worker}`);
    if (claim === undefined) return 0;
    const set = { state: "available", owner: null } as const;
    await write(store, { run: claim.run, task: { id: claim.task, fence: claim.fence, set } });
    return 2;
  }
  if (choice === 1) {
    await sweepLeases(store);
    return 0;
  }
  if (choice === 2) {
    const { events, replayed } = await write(store, {
      run,
      request_id: `q${step}`,
      events: [draft(), draft({ event_type: "other" })],
    });
    return replayed ? 0 : events.length;
  }
  // In two orders, so that a store which locks documents in the order of the commit deadlocks.
  const ids = worker % 2 === 0 ? [step % 3, (step + 1) % 3] : [(step + 1) % 3, step % 3];
  const documents = ids.map((id) => ({
    kind: "k",
    id: `d${id}`,
    value: String(worker),
    ...(choice === 3 ? { if_version: 0 } : {}),
  }));
  await write(store, { run, documents });
  return 1;
}
