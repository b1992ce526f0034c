import { expect } from "vitest";
import { StoreConflict, type EventDraft, type LogEvent, type Store } from "@bylaw/kernel";

/** A clock that the test moves; milliseconds since 1970. */
interface Clock {
  readonly now: () => number;
  readonly advance: (ms: number) => void;
}

/** What a store must bring to be held to the contract. */
interface StoreUnderTest {
  readonly store: Store;
  /** Ends what the factory started, besides the store itself. */
  readonly stop?: () => Promise<void>;
}

export type StoreFactory = (clock: Clock) => StoreUnderTest | Promise<StoreUnderTest>;

const START = Date.UTC(2026, 0, 2, 3, 4, 5);

export const draft = (fields: Partial<EventDraft> = {}): EventDraft => ({
  timestamp: "2026-01-02T03:04:05.000Z",
  session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
  event_type: "note",
  agent_id: "a1",
  task_id: null,
  details: { n: 1 },
  ...fields,
});

export const sequences = (events: readonly LogEvent[]): readonly number[] => events.map(({ sequence }) => sequence);
export const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

/** Runs the work of one test on a store of its own, with a clock of its own. */
export type Using = (work: (store: Store, clock: Clock) => Promise<void>) => () => Promise<void>;

export const usingStore =
  (create: StoreFactory): Using =>
  (work) =>
  async () => {
    let at = START;
    const clock: Clock = { now: () => at, advance: (ms) => (at += ms) };
    const { store, stop } = await create(clock);
    try {
      await work(store, clock);
    } finally {
      await store.close();
      await stop?.();
    }
  };

export async function expectConflict(pending: Promise<unknown>, what: StoreConflict["what"]): Promise<void> {
  const error: unknown = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StoreConflict);
  expect(error).toMatchObject({ name: "StoreConflict", what });
}

export async function addTasks(store: Store, count: number, queue = "q"): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const set = { state: "available", queue, phase: "PLAN" } as const;
    await store.commit({ run: `r${index % 3}`, seen: 0, events: [draft()], task: { id: `${queue}-${index}`, fence: 0, set } });
  }
}
