import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { expect, it, onTestFinished } from "vitest";
import { Feed } from "../src/events.ts";

const EVENTS = 5_000;

const eventOf = (index: number) => ({
  timestamp: "2026-01-02T10:00:00.000Z",
  session_id: "11111111-1111-4111-8111-111111111111",
  ...{ event_type: "note", agent_id: null, task_id: null, details: { index } },
});

/** A feed of a log that nobody has read yet. */
async function makeFeed(length: number) {
  const store = createMemoryStore();
  const add = (count: number, seen: number) =>
    store.commit({
      ...{ run: "r", seen },
      events: Array.from({ length: count }, (_, index) => eventOf(seen + index)),
    });
  await add(length, 0);
  let read = 0;
  const counted: Pick<Store, "events" | "watch"> = {
    watch: (onHead) => store.watch(onHead),
    async events(run, after, limit) {
      const found = await store.events(run, after, limit);
      read += found.length;
      return found;
    },
  };
  const onError = (error: unknown): void => {
    throw error;
  };
  const feed = new Feed({ store: counted, run: "r", known: () => 0, onError });
  onTestFinished(() => feed.close());
  return { feed, add, read: () => read };
}

it.each([1, 2, 3, 7, 8, 9, 1_000, EVENTS])(
  "finds the end of a log of %i events by a few reads",
  async (length) => {
    const { feed, read } = await makeFeed(length);
    expect(await feed.head()).toBe(length);
    expect(read()).toBeLessThan(30);
  },
);

it("gives a listener what it lacks and what comes, and reads nothing before that", async () => {
  const { feed, add, read } = await makeFeed(EVENTS);
  const listener = feed.listen();
  const wait = { ms: 10_000 };
  const old = await listener.after(EVENTS - 3, wait);
  expect(old.map(({ sequence }) => sequence)).toEqual([EVENTS - 2, EVENTS - 1, EVENTS]);
  const coming = listener.after(EVENTS, wait);
  await add(2, EVENTS);
  expect((await coming).at(0)?.sequence).toBe(EVENTS + 1);
  expect(read()).toBeLessThan(100);
  listener.close();
  const again = feed.listen();
  expect((await again.after(EVENTS, wait)).at(0)?.sequence).toBe(EVENTS + 1);
});
