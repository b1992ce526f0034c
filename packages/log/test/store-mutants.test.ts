import type { LogEvent } from "@bylaw/kernel";
import { StoreConflict, type Claim, type Commit, type Store } from "@bylaw/store";
import { describeStore } from "@bylaw/testing";
import { expect, it } from "vitest";
import { createMemoryStore } from "../src/index.ts";

/** Wraps a correct store so that one promise is broken. */
type Mutant = (whole: Store) => Store;

interface Test {
  readonly name: string;
  readonly body: () => Promise<void>;
}

/** The tests of the suite for a mutant of the memory store. */
function suiteOf(mutant: Mutant, now?: () => number): readonly Test[] {
  const tests: Test[] = [];
  const it = (name: string, body: () => Promise<void>) => tests.push({ name, body });
  const describe = (_: string, group: () => void) => group();
  describeStore(
    "a mutant",
    (clock) => ({ store: mutant(createMemoryStore({ now: now ?? clock.now })) }),
    { describe, it },
  );
  return tests;
}

/** The names of the tests that fail. A test that never ends fails too, because a mutant may keep a watcher waiting. */
async function failuresOf(tests: readonly Test[], guard_ms = 2_000): Promise<readonly string[]> {
  const results = tests.map(async ({ name, body }) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), guard_ms);
    const passed = await Promise.race([
      promise,
      body().then(
        () => true,
        () => false,
      ),
    ]);
    clearTimeout(timer);
    return passed ? [] : [name];
  });
  return (await Promise.all(results)).flat();
}

const without = (commit: Commit, ...fields: readonly (keyof Commit)[]): Commit =>
  Object.fromEntries(
    Object.entries(commit).filter(([name]) => !fields.includes(name as keyof Commit)),
  ) as unknown as Commit;
const mutate =
  (change: (whole: Store) => Partial<Store>): Mutant =>
  (whole) => ({ ...whole, ...change(whole) });
const hide = (type: string): Mutant =>
  mutate((whole) => ({
    events: async (run, after, limit) =>
      (await whole.events(run, after, limit)).filter(({ event_type }) => event_type !== type),
  }));

const MUTANTS: Readonly<Record<string, Mutant>> = {
  "ignores the condition of a document": mutate((whole) => ({
    commit: (commit) =>
      whole.commit({
        ...commit,
        documents: (commit.documents ?? []).map(({ if_version: _, ...document }) => document),
      }),
  })),
  "reads its input after the call has returned": mutate((whole) => ({
    async commit(commit) {
      await Promise.resolve();
      return whole.commit(commit);
    },
  })),
  "leaves gaps": mutate((whole) => {
    const gapped = (event: LogEvent): LogEvent => ({
      ...event,
      sequence: event.sequence + Math.floor(event.sequence / 10),
    });
    return {
      async commit(commit) {
        const receipt = await whole.commit(commit);
        return { ...receipt, events: receipt.events.map(gapped) };
      },
      events: async (...asked) => (await whole.events(...asked)).map(gapped),
    };
  }),
  "does not chain": mutate((whole) => ({
    events: async (...asked) =>
      (await whole.events(...asked)).map(({ hash: _, ...event }) => event),
  })),
  "ignores request ids": mutate((whole) => ({
    commit: (commit) => whole.commit(without(commit, "request_id")),
  })),
  "writes the events of a refused commit": mutate((whole) => ({
    async commit(commit) {
      try {
        return await whole.commit(commit);
      } catch (error) {
        await whole
          .commit(without(commit, "admit", "documents", "task", "request_id"))
          .catch(() => {});
        throw error;
      }
    },
  })),
  "asks `admit` before the transaction": mutate((whole) => ({
    async commit(commit) {
      const unseen = await whole.events(commit.run, commit.seen, 1_000_000);
      const answer: unknown = commit.admit?.(unseen);
      await answer;
      return whole.commit(without(commit, "admit"));
    },
  })),
  "claims twice": mutate((whole) => {
    const given: Claim[] = [];
    return {
      async claim(request) {
        const claim = await whole.claim(request);
        if (claim !== undefined) given.push(claim);
        return claim ?? given.pop();
      },
    };
  }),
  "forgets request ids of claims": mutate((whole) => ({
    claim: ({ request_id: _, ...request }) => whole.claim(request),
  })),
  "ignores the fence": mutate((whole) => ({
    async commit(commit) {
      try {
        return await whole.commit(commit);
      } catch (error) {
        if (!(error instanceof StoreConflict) || error.what !== "fence") throw error;
        return whole.commit(without(commit, "task"));
      }
    },
  })),
  "never ends the lease of a lost owner": mutate((whole) => ({
    claim: (request) => whole.claim({ ...request, lease_ms: request.lease_ms * 1_000 }),
  })),
  "shortens a lease that is renewed": mutate((whole) => ({
    commit: ({ task, ...commit }) =>
      whole.commit({
        ...commit,
        ...(task && {
          task:
            task.lease_ms === undefined || task.set !== undefined
              ? task
              : { ...task, set: { state: "claimed" } },
        }),
      }),
  })),
  "asks the `admit` of a claim before the transaction": mutate((whole) => ({
    async claim({ admit, seen = 0, ...request }) {
      const unseen = await Promise.all(
        ["r0", "r1", "r2"].map((run) => whole.events(run, seen, 1_000)),
      );
      return whole.claim({
        ...request,
        ...(admit && {
          admit: (_, claim) => admit(unseen[Number(claim.run.slice(1))] ?? [], claim),
        }),
      });
    },
  })),
  "records no claim": hide("task_claimed"),
  "records no end of a lease": hide("lease_expired"),
  "shows expired documents": mutate((whole) => {
    const kept = new Map<string, Awaited<ReturnType<Store["get"]>>>();
    return {
      async get(kind, id) {
        const key = JSON.stringify([kind, id]);
        const found = await whole.get(kind, id);
        if (found !== undefined) kept.set(key, found);
        return kept.get(key);
      },
    };
  }),
  "calls a watcher that has stopped": mutate((whole) => ({
    async watch(onHead) {
      await whole.watch(onHead);
      return () => {};
    },
  })),
  "answers after it is closed": mutate(() => ({ close: async () => {} })),
  "returns its own objects": mutate((whole) => {
    const kept = new Map<string, LogEvent>();
    return {
      events: async (run, ...asked) =>
        (await whole.events(run, ...asked)).map((event) => {
          const key = `${run} ${event.sequence}`;
          kept.set(key, kept.get(key) ?? structuredClone(event));
          return kept.get(key) as LogEvent;
        }),
    };
  }),
  "normalizes the names of runs": mutate((whole) => ({
    commit: (commit) => whole.commit({ ...commit, run: commit.run.normalize("NFKC").trim() }),
    events: (run, ...asked) => whole.events(run.normalize("NFKC").trim(), ...asked),
  })),
};

it("passes the store from which the mutants are made", async () => {
  expect(
    await failuresOf(
      suiteOf((whole) => whole),
      60_000,
    ),
  ).toEqual([]);
});

it.each(Object.entries(MUTANTS))("notices a store that %s", async (_, mutant) => {
  expect(await failuresOf(suiteOf(mutant))).not.toEqual([]);
});

it("notices a store that does not use its own clock", async () => {
  expect(
    await failuresOf(
      suiteOf(
        (whole) => whole,
        () => 0,
      ),
    ),
  ).not.toEqual([]);
  expect(
    await failuresOf(
      suiteOf(
        (whole) => whole,
        () => Date.UTC(2999, 0, 1),
      ),
    ),
  ).not.toEqual([]);
});
