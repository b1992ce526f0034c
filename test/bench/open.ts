// Measures how long it takes to open a run whose chain is verified: from its stored head, and from its beginning.
import { join } from "node:path";
import { createKernel, defineConfig, definePlugin } from "@bylaw/kernel";
import { openRun, type ChainOptions, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { z } from "zod";
import { MACHINE, benchFolder, median, whole } from "./bench-kit.ts";
import { eventOf } from "./log/writers.ts";

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const FILL = 1_000;
const ROUNDS = 5;

const plugin = definePlugin({
  name: "bench",
  version: "1.0.0",
  options: z.undefined(),
  apply: (kernel) => kernel.event({ name: "note", details: z.looseObject({}) }),
});
const kernel = createKernel(defineConfig({ plugins: [plugin()] }));
const folder = benchFolder();
const chain: ChainOptions = {
  secrets: ["a secret of this benchmark that is long enough"],
  head_file: join(folder, "head.json"),
};

async function timed(
  store: Store,
  options: { readonly chain?: ChainOptions },
): Promise<readonly [ms: number, run: Run]> {
  const start = performance.now();
  const run = await openRun(kernel, { run: "long", store, join: true, ...options });
  return [performance.now() - start, run];
}

console.log(MACHINE);
const store = await openSqliteStore(join(folder, "store.db"));
try {
  const opening = { ...eventOf(0, 0), event_type: "session_start", agent_id: null, task_id: null };
  for (let seen = 0; seen < EVENTS; seen += FILL) {
    const events = Array.from({ length: FILL }, (_, index) =>
      seen + index === 0 ? opening : { ...eventOf(0, seen + index), event_type: "note" },
    );
    await store.commit({ run: "long", seen, events });
  }
  const [believed, one] = await timed({ ...store, get: async () => undefined }, {});
  await one.close();
  const [followed, two] = await timed(store, { chain });
  // A snapshot is stored together with the events after the first thousand that a run has read.
  for (let left = 2; left > 0; left -= 1)
    await two.record(
      Array.from({ length: FILL }, (_, index) => ({ ...eventOf(0, index), event_type: "note" })),
    );
  await two.close();
  const kept: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [ms, run] = await timed(store, { chain });
    if (run.head < EVENTS) throw new Error(`The run has ${run.head} events, not ${EVENTS}.`);
    kept.push(ms);
    await run.close();
  }
  console.log(`Opening a run of ${whole(EVENTS)} events in SQLite:`);
  console.log(`${whole(median(kept))} ms from its kept head and snapshot, verified`);
  console.log(`${whole(followed)} ms from its beginning, verified`);
  console.log(`${whole(believed)} ms from its beginning, believed`);
} finally {
  await store.close();
}
