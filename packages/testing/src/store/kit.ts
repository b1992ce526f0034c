import { deepStrictEqual, ok } from "node:assert/strict";
import type { EventDraft, LogEvent } from "@bylaw/kernel";
import {
  StoreConflict,
  type Claim,
  type ClaimRequest,
  type Commit,
  type Receipt,
  type Store,
} from "@bylaw/store";
import type { TestRunner } from "../run-examples.ts";

/** A clock that the test moves, in milliseconds since 1970. It replaces the store's own. */
export interface StoreClock {
  readonly now: () => number;
  readonly advance: (ms: number) => void;
}

/** What a store must provide to be tested. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Opens the same data again, while the first store is open or after it was closed. Left out if the store keeps nothing. */
  readonly reopen?: () => Store | Promise<Store>;
  /** Ends what the factory started, besides the stores themselves. Called once, after every store is closed. */
  readonly stop?: () => void | Promise<void>;
}

/** Creates an empty store for one test, which uses `clock` for every decision about time. */
export type StoreFactory = (clock: StoreClock) => StoreUnderTest | Promise<StoreUnderTest>;

/** What a test gets. */
interface Bench {
  readonly store: Store;
  readonly clock: StoreClock;
  /** Opens another store over the same data. `undefined` if the store keeps nothing. */
  readonly another: () => Promise<Store | undefined>;
}

/** One group of tests of the suite, by their sentences. */
export type Group = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Creates a group of tests, each with its own store and clock. */
export function describeGroup(
  name: string,
  create: StoreFactory,
  { describe, it }: TestRunner,
  group: Group,
): void {
  describe(name, () => {
    for (const [sentence, body] of Object.entries(group)) it(sentence, () => onBench(create, body));
  });
}

async function onBench(create: StoreFactory, body: (bench: Bench) => Promise<void>): Promise<void> {
  let at = START;
  const clock: StoreClock = { now: () => at, advance: (ms) => (at += ms) };
  const { store, reopen, stop } = await create(clock);
  const opened = [store];
  const another = async (): Promise<Store | undefined> => {
    if (reopen === undefined) return undefined;
    const next = await reopen();
    opened.push(next);
    return next;
  };
  try {
    await body({ store, clock, another });
  } finally {
    for (const one of opened) await one.close();
    await stop?.();
  }
}

/** A draft: `note` of agent `a1` without a task, overridden by `fields`. */
export const draft = (fields: Partial<EventDraft> = {}): EventDraft => ({
  timestamp: "2026-01-02T03:04:05.000Z",
  session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
  event_type: "note",
  agent_id: "a1",
  task_id: null,
  details: { n: 1 },
  ...fields,
});

export const sequences = (events: readonly LogEvent[]): readonly number[] =>
  events.map(({ sequence }) => sequence);
export const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

/** Commits one event to run `r1`, overridden by `fields`. */
export const write = (store: Store, fields: Partial<Commit> = {}): Promise<Receipt> =>
  store.commit({ run: "r1", seen: 0, events: [draft()], ...fields });

export const logOf = (store: Store, run = "r1"): Promise<readonly LogEvent[]> =>
  store.events(run, 0, 1_000_000);

/** Claims a task of queue `q` for a minute, recorded as `task_claimed`. */
export const take = (
  store: Store,
  agent = "a1",
  fields: Partial<ClaimRequest> = {},
): Promise<Claim | undefined> =>
  store.claim({
    queue: "q",
    agent,
    lease_ms: 60_000,
    event: ({ task, fence, lease_until }) =>
      draft({
        event_type: "task_claimed",
        agent_id: agent,
        task_id: task,
        details: { fence, lease_until },
      }),
    ...fields,
  });

/** Claims a task that must be available. */
export async function claimFree(
  store: Store,
  agent = "a1",
  fields: Partial<ClaimRequest> = {},
): Promise<Claim> {
  const claim = await take(store, agent, fields);
  if (claim === undefined) throw new Error("The claim of an available task was refused");
  return claim;
}

/** Sweeps, and records each lease as `lease_expired`. */
export const sweepLeases = (store: Store): Promise<number> =>
  store.sweep(({ task, owner, fence }) =>
    draft({
      event_type: "lease_expired",
      agent_id: null,
      task_id: task,
      details: { owner, fence },
    }),
  );

/** Creates tasks `q-0`, `q-1`, … in the runs `r0`, `r1` and `r2` in turn, with one event each. */
export async function addTasks(store: Store, count: number, queue = "q"): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const set = { state: "available", queue, phase: "PLAN" } as const;
    await write(store, { run: `r${index % 3}`, task: { id: `${queue}-${index}`, fence: 0, set } });
  }
}

export async function failureOf(pending: Promise<unknown>): Promise<unknown> {
  const settled = await pending.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  ok(settled !== undefined, "The call should have been refused");
  return settled.error;
}

/** Asserts that a write was refused because of a condition. */
export async function conflicts(
  pending: Promise<unknown>,
  what: StoreConflict["what"],
): Promise<void> {
  const error = await failureOf(pending);
  ok(error instanceof StoreConflict, `not a StoreConflict: ${String(error)}`);
  deepStrictEqual([error.name, error.what], ["StoreConflict", what]);
}
