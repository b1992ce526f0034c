import type { LogEvent } from "@bylaw/kernel";
import { StoreConflict, type Claim, type Commit, type Store, type TaskWrite } from "@bylaw/store";
import { describeStore } from "@bylaw/testing";
import { expect, it } from "vitest";
import { createMemoryStore } from "../src/index.ts";

/** A store with one promise broken, over a whole one. */
type Mutant = (whole: Store) => Store;

interface Test {
  readonly name: string;
  readonly body: () => Promise<void>;
}

/** The tests of the suite over what a mutant makes of the memory store. */
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

/** The names of the tests that do not pass. One that never ends does not either: a mutant may keep a watcher waiting. */
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
const withoutLease = ({ lease_ms: _, ...task }: TaskWrite): TaskWrite => task;
const mutate =
  (change: (whole: Store) => Partial<Store>): Mutant =>
  (whole) => ({ ...whole, ...change(whole) });
const hide = (type: string): Mutant =>
  mutate((whole) => ({
    events: async (run, after, limit) =>
      (await whole.events(run, after, limit)).filter(({ event_type }) => event_type !== type),
  }));

const MUTANTS: Readonly<Record<string, Mutant>> = {
  "forgets the condition of a document": mutate((whole) => ({
    commit: (commit) =>
      whole.commit({
        ...commit,
        documents: (commit.documents ?? []).map(({ if_version: _, ...document }) => document),
      }),
  })),
  "checks a document's condition before the transaction": mutate((whole) => ({
    async commit(commit) {
      for (const { kind, id, if_version } of commit.documents ?? []) {
        const version = (await whole.get(kind, id))?.version ?? 0;
        if (if_version !== undefined && if_version !== version)
          throw new StoreConflict("document", "Unexpected version");
      }
      return whole.commit({
        ...commit,
        documents: (commit.documents ?? []).map(({ if_version: _, ...document }) => document),
      });
    },
  })),
  "writes later what it was given": mutate((whole) => ({
    async commit(commit) {
      await Promise.resolve();
      return whole.commit(commit);
    },
  })),
  "writes documents before it knows whether events may be": mutate((whole) => ({
    async commit(commit) {
      if (commit.documents !== undefined && commit.admit !== undefined)
        await whole.commit(without(commit, "admit", "task", "request_id"));
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
  "counts from 0": mutate((whole) => ({
    events: async (...asked) =>
      (await whole.events(...asked)).map((event) => ({ ...event, sequence: event.sequence - 1 })),
  })),
  "does not chain": mutate((whole) => ({
    events: async (...asked) =>
      (await whole.events(...asked)).map(({ hash: _, ...event }) => event),
  })),
  "chains each event by itself": mutate((whole) => ({
    events: async (...asked) =>
      (await whole.events(...asked)).map((event) => ({
        ...event,
        hash: `sha256:${"0".repeat(64)}`,
      })),
  })),
  "ignores request ids": mutate((whole) => ({
    commit: (commit) => whole.commit(without(commit, "request_id")),
  })),
  "remembers a request id only when it is done": mutate((whole) => {
    const done = new Map<string, Awaited<ReturnType<Store["commit"]>>>();
    return {
      async commit(commit) {
        const key = JSON.stringify([commit.run, commit.request_id]);
        const first = done.get(key);
        if (commit.request_id !== undefined && first !== undefined)
          return { ...first, replayed: true };
        await Promise.resolve();
        const receipt = await whole.commit(without(commit, "request_id"));
        if (commit.request_id !== undefined) done.set(key, receipt);
        return receipt;
      },
    };
  }),
  "takes one run's request id for another's": mutate((whole) => {
    const receipts = new Map<string, ReturnType<Store["commit"]>>();
    return {
      commit(commit) {
        const { request_id } = commit;
        const first = request_id === undefined ? undefined : receipts.get(request_id);
        if (first !== undefined) return first.then((receipt) => ({ ...receipt, replayed: true }));
        const receipt = whole.commit(commit);
        if (request_id !== undefined) receipts.set(request_id, receipt);
        receipt.catch(() => receipts.delete(request_id ?? ""));
        return receipt;
      },
    };
  }),
  "calls every receipt new": mutate((whole) => ({
    commit: async (commit) => ({ ...(await whole.commit(commit)), replayed: false }),
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
  "does not ask `admit`": mutate((whole) => ({
    commit: (commit) => whole.commit(without(commit, "admit")),
  })),
  "asks `admit` before the transaction": mutate((whole) => ({
    async commit(commit) {
      const unseen = await whole.events(commit.run, commit.seen, 1_000_000);
      const answer: unknown = commit.admit?.(unseen);
      await answer;
      return whole.commit(without(commit, "admit"));
    },
  })),
  "shows `admit` more than is unseen": mutate((whole) => ({
    commit: (commit) => whole.commit({ ...commit, seen: 0 }),
  })),
  "does not wait for what `admit` says later": mutate((whole) => ({
    commit: ({ admit, ...commit }) =>
      whole.commit({
        ...commit,
        ...(admit && { admit: (unseen) => void Promise.resolve(admit(unseen)).catch(() => {}) }),
      }),
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
  "claims from any queue": mutate((whole) => {
    const queues = new Set<string>();
    return {
      commit(commit) {
        queues.add(commit.task?.set?.queue ?? "default");
        return whole.commit(commit);
      },
      async claim(request) {
        for (const queue of [request.queue, ...queues]) {
          const claim = await whole.claim({ ...request, queue });
          if (claim !== undefined) return claim;
        }
        return undefined;
      },
    };
  }),
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
  "takes any fence that is not above the last": mutate((whole) => {
    const fences = new Map<string, number>();
    return {
      async claim(request) {
        const claim = await whole.claim(request);
        if (claim !== undefined) fences.set(claim.task, claim.fence);
        return claim;
      },
      commit({ task, ...commit }) {
        const held = fences.get(task?.id ?? "") ?? 0;
        const lenient =
          task !== undefined && task.fence > 0 && task.fence <= held
            ? { ...task, fence: held }
            : task;
        return whole.commit({ ...commit, ...(lenient && { task: lenient }) });
      },
    };
  }),
  "leaves the lease of a lost owner for ever": mutate((whole) => ({
    claim: (request) => whole.claim({ ...request, lease_ms: request.lease_ms * 1_000 }),
  })),
  "renews no lease": mutate((whole) => ({
    commit: ({ task, ...commit }) =>
      whole.commit({ ...commit, ...(task && { task: withoutLease(task) }) }),
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
  "renews a lease under any fence": mutate((whole) => ({
    async commit(commit) {
      try {
        return await whole.commit(commit);
      } catch (error) {
        if (commit.task?.lease_ms === undefined || !(error instanceof StoreConflict)) throw error;
        return whole.commit(without(commit, "task"));
      }
    },
  })),
  "asks no claimer about the log": mutate((whole) => ({
    claim: ({ admit: _, ...request }) => whole.claim(request),
  })),
  "asks a claimer before the transaction": mutate((whole) => ({
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
  "shows a claimer more than is unseen": mutate((whole) => ({
    claim: ({ seen: _, ...request }) => whole.claim(request),
  })),
  "does not wait for what a claimer says later": mutate((whole) => ({
    claim: ({ admit, ...request }) =>
      whole.claim({
        ...request,
        ...(admit && {
          admit(unseen, claim) {
            const answer: unknown = admit(unseen, claim);
            void Promise.resolve(answer).catch(() => {});
          },
        }),
      }),
  })),
  "records no claim": hide("task_claimed"),
  "records no end of a lease": hide("lease_expired"),
  "records something else than it was told": mutate((whole) => ({
    claim: (request) =>
      whole.claim({ ...request, event: (claim) => ({ ...request.event(claim), details: {} }) }),
  })),
  "sweeps without counting": mutate((whole) => ({
    sweep: (event) => whole.sweep(event).then(() => 0),
  })),
  "shows what has expired": mutate((whole) => {
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
  "tells no watcher": mutate(() => ({ watch: async () => () => {} })),
  "tells a watcher of the first event alone": mutate((whole) => ({
    watch: (onHead) => whole.watch((run, head) => head === 1 && onHead(run, head)),
  })),
  "tells a watcher who has stopped": mutate((whole) => ({
    async watch(onHead) {
      await whole.watch(onHead);
      return () => {};
    },
  })),
  "answers after it was closed": mutate(() => ({ close: async () => {} })),
  "hands out what it keeps": mutate((whole) => {
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
  "folds the names of runs": mutate((whole) => ({
    commit: (commit) => whole.commit({ ...commit, run: commit.run.normalize("NFKC").trim() }),
    events: (run, ...asked) => whole.events(run.normalize("NFKC").trim(), ...asked),
  })),
  "joins the kind and the id of a document": mutate((whole) => ({
    commit: (commit) =>
      whole.commit({
        ...commit,
        documents: (commit.documents ?? []).map((document) => ({
          ...document,
          kind: "",
          id: `${document.kind}:${document.id}`,
        })),
      }),
    get: (kind, id) => whole.get("", `${kind}:${id}`),
  })),
};

it("passes the store that the mutants are made of", async () => {
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

it("notices a store that tells the time by a clock that is not its own", async () => {
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
