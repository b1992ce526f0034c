import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { draft, logOf, sequences, upTo, write, type Group } from "./kit.ts";

export const watchers: Group = {
  "learns how far a run has grown, and nothing once it stops": async ({ store }) => {
    const heads = new Map<string, number>();
    let hinted: () => void = () => {};
    const stop = await store.watch((run, head) => {
      heads.set(run, Math.max(head, heads.get(run) ?? 0));
      hinted();
    });
    const reached = (run: string, head: number): Promise<void> =>
      new Promise((resolve) => {
        hinted = () => (heads.get(run) ?? 0) >= head && resolve();
        hinted();
      });
    await write(store, { events: [draft(), draft()] });
    await reached("r1", 2);
    await write(store, { run: "r2" });
    await reached("r2", 1);
    equal(
      [...heads],
      [
        ["r1", 2],
        ["r2", 1],
      ],
    );
    stop();
    // The remaining watcher is called after the stopped one would have been.
    const later = Promise.withResolvers<void>();
    const stopLater = await store.watch(
      (run, head) => run === "r1" && head >= 3 && later.resolve(),
    );
    await write(store, { seen: 2 });
    await later.promise;
    stopLater();
    equal(heads.get("r1"), 2);
  },

  "misses no event if it reads on from its position, however hints are combined": async ({
    store,
  }) => {
    const total = 60;
    const read: number[] = [];
    const all = Promise.withResolvers<void>();
    let reading = Promise.resolve();
    const follow = async (): Promise<void> => {
      for (;;) {
        const page = await store.events("r1", read.at(-1) ?? 0, 7);
        if (page.length === 0) break;
        if (sequences(page).some((sequence, index) => sequence !== read.length + index + 1))
          throw new Error("The page has a gap");
        read.push(...sequences(page));
      }
      if (read.length >= total) all.resolve();
    };
    const stop = await store.watch(() => {
      reading = reading.then(follow);
      reading.catch(all.reject);
    });
    await Promise.all(upTo(20).map(() => write(store, { events: [draft(), draft(), draft()] })));
    await all.promise;
    stop();
    await reading;
    equal(read, upTo(total));
  },

  "never hears of missing or refused events": async ({ store }) => {
    const wrong: string[] = [];
    const pending: Promise<void>[] = [];
    const last = Promise.withResolvers<void>();
    const stop = await store.watch((run, head) => {
      const seen = store
        .events(run, head - 1, 1)
        .then((events) => void (events.length === 1 || wrong.push(`${run} ${head}`)));
      pending.push(seen);
      if (run === "last") last.resolve();
    });
    const refuse = (): never => {
      throw new Error("refused");
    };
    await Promise.allSettled(
      upTo(20).map((n) =>
        write(store, {
          run: n % 2 === 0 ? "r1" : "refused",
          ...(n % 2 === 0 ? {} : { admit: refuse }),
        }),
      ),
    );
    await write(store, { run: "last" });
    await last.promise;
    stop();
    await Promise.all(pending);
    equal(wrong, []);
    equal(await logOf(store, "refused"), []);
  },

  "that throws affects no commit and no other watcher": async ({ store }) => {
    const notified = Promise.withResolvers<void>();
    const stops = [
      await store.watch(() => {
        throw new Error("a watcher's own fault");
      }),
      await store.watch(() => notified.resolve()),
    ];
    ok((await write(store)).events.length === 1);
    await notified.promise;
    for (const stop of stops) stop();
  },
};
