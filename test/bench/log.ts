// Measures durable events a second against the limit of the disk, how the cost of an append grows with the log, and the cost of
// verifying and loading.
import { join } from "node:path";
import { createKernel, defineConfig, definePlugin, defineProjection } from "@bylaw/kernel";
import { createLogVerifier, formatEventLine, openRun } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { openPostgresStore } from "@bylaw/store-postgres";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { startPostgres } from "@bylaw/testing";
import { z } from "zod";
import { MACHINE, benchFolder, median, whole } from "./bench-kit.ts";
import { appendTo, appendToOne, eventOf, openFloor, rateOf, type Append } from "./log/writers.ts";

const WRITERS = [1, 4, 16];
const ROUNDS = 15;
const CELL_MS = 300;
const LENGTHS = [1, 100_000, 1_000_000];
const FILL = 1_000;
const VERIFIED = 300_000;

const folder = benchFolder();
const say = (text = ""): void => console.log(text);

interface Contestant {
  readonly name: string;
  readonly append: Append;
}

/** Medians over rounds in which all are timed in turn, so that a slow minute of the machine affects all of them. */
async function compare(floor: Contestant, contestants: readonly Contestant[]): Promise<void> {
  const names = contestants.map(({ name }) => name);
  say(
    `| writers | ${floor.name} | ${names.join(" | ")} | ${names.map((name) => `${name} / floor`).join(" | ")} |`,
  );
  say(`| ---: |${" ---: |".repeat(1 + 2 * names.length)}`);
  for (const writers of WRITERS) {
    const rates: number[][] = [floor, ...contestants].map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { append }] of [floor, ...contestants].entries()) {
        if (round === 0) await rateOf(writers, append, CELL_MS);
        rates[index]?.push(await rateOf(writers, append, CELL_MS));
      }
    }
    const [bare = [], ...others] = rates;
    const ratios = others.map((rate) =>
      median(rate.map((one, round) => one / (bare[round] ?? Number.NaN))),
    );
    say(
      `| ${writers} | ${[...rates.map(median).map(whole), ...ratios.map((ratio) => ratio.toFixed(2))].join(" | ")} |`,
    );
  }
}

/** Milliseconds of one durable append to logs of some lengths, with and without the wait for the disk. */
async function growth(store: Store): Promise<void> {
  say("| events in the log | one durable append, ms | one of 1,000 in a commit, us |");
  say("| ---: | ---: | ---: |");
  let length = 0;
  const opening = { ...eventOf(0, 0), event_type: "session_start", agent_id: null, task_id: null };
  const add = async (count: number): Promise<number> => {
    const events = Array.from({ length: count }, (_, index) =>
      length + index === 0 ? opening : eventOf(0, length + index),
    );
    const start = performance.now();
    await store.commit({ run: "long", seen: length, events });
    length += count;
    return performance.now() - start;
  };
  for (const wanted of LENGTHS) {
    const missing = Math.floor((wanted - length) / FILL);
    for (let fill = 0; fill < missing; fill += 1) await add(FILL);
    const single: number[] = [];
    const bulk: number[] = [];
    for (let sample = 0; sample < 201; sample += 1) single.push(await add(1));
    for (let sample = 0; sample < 11; sample += 1) bulk.push(await add(FILL));
    say(
      `| ${whole(wanted)} | ${median(single).toFixed(2)} | ${((median(bulk) / FILL) * 1e3).toFixed(1)} |`,
    );
  }
}

async function verify(store: Store): Promise<void> {
  const events = [];
  while (events.length < VERIFIED)
    events.push(...(await store.events("long", events.length, 10_000)));
  const lines = events.slice(0, VERIFIED).map(formatEventLine);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const verifier = createLogVerifier({ chained: true });
    const start = performance.now();
    const findings = lines.reduce(
      (sum, line) =>
        sum + verifier.line(line).filter(({ severity }) => severity === "error").length,
      0,
    );
    rates.push((VERIFIED / (performance.now() - start)) * 1e3);
    if (findings > 0) throw new Error(`${findings} findings in a clean log`);
  }
  say(
    `${whole(median(rates))} entries/s: numbers, form and chain of ${whole(VERIFIED)} stored lines.`,
  );
}

/** The projection of the run, and the type of its events. */
const calls = defineProjection<Readonly<Record<string, number>>>({
  name: "bench/calls",
  version: 1,
  initial: {},
  reduce: (state, { agent_id }) => ({
    ...state,
    [agent_id ?? ""]: (state[agent_id ?? ""] ?? 0) + 1,
  }),
});

async function load(store: Store): Promise<void> {
  const note = { name: "note", details: z.looseObject({}) };
  const plugin = definePlugin({
    name: "bench",
    version: "1.0.0",
    options: z.undefined(),
    apply(kernel) {
      kernel.projection(calls);
      kernel.event(note);
    },
  });
  const kernel = createKernel(defineConfig({ plugins: [plugin()] }));
  const lengths = [1_000, 100_000];
  const session = "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a02";
  for (const length of lengths) {
    const run = await openRun(kernel, { run: `load-${length}`, store, session });
    while (run.head < length) {
      const count = Math.min(500, length - run.head);
      await run.record(
        Array.from({ length: count }, (_, index) => ({
          ...eventOf(index % 10, index),
          event_type: "note",
        })),
      );
    }
    await run.close();
  }
  const times: number[][] = lengths.map(() => []);
  for (let round = 0; round < 41; round += 1) {
    for (const [index, length] of lengths.entries()) {
      const start = performance.now();
      const run = await openRun(kernel, { run: `load-${length}`, store, session });
      times[index]?.push(performance.now() - start);
      if (run.head < length)
        throw new Error(`The head is ${run.head}, and must be ${length} or more`);
      await run.close();
    }
  }
  const [short = Number.NaN, long = Number.NaN] = times.map(median);
  say(
    `${short.toFixed(2)} ms for 1,000 events, ${long.toFixed(2)} ms for 100,000: ratio ${(long / short).toFixed(2)}.`,
  );
}

say(MACHINE);
say(
  `Medians of ${ROUNDS} rounds of ${CELL_MS} ms in which all are timed in turn; a ratio is the median over rounds.`,
);
say(
  "floor: write + fdatasync of the same events in the same batches, with nothing else. PostgreSQL: over its socket in the file system.\n",
);
const server = await startPostgres({ fsync: true });
const floor = openFloor(join(folder, "floor.jsonl"));
const sqlite = await openSqliteStore(join(folder, "store.db"));
const url = server?.socket;
const postgres =
  url === undefined ? undefined : await openPostgresStore(url, { schema: `bench_${process.pid}` });
try {
  const bare = { name: "floor, events/s", append: floor.append };
  say("Each writer in a log of its own:\n");
  await compare(bare, [
    { name: "SQLite", append: appendTo(sqlite, "own") },
    ...(postgres === undefined ? [] : [{ name: "PostgreSQL", append: appendTo(postgres, "own") }]),
  ]);
  say("\nAll writers in one log:\n");
  await compare(bare, [
    { name: "SQLite", append: appendToOne(sqlite, "hot") },
    ...(postgres === undefined
      ? []
      : [{ name: "PostgreSQL", append: appendToOne(postgres, "hot") }]),
  ]);
  if (postgres === undefined)
    say("\nPostgreSQL: not measured, no server here. Name one with BYLAW_POSTGRES_URL.");
  say("\nAppending as a log grows, SQLite:\n");
  await growth(sqlite);
  say("\nVerifying:\n");
  await verify(sqlite);
  say("\nLoading a run from its snapshot, SQLite:\n");
  await load(sqlite);
} finally {
  floor.close();
  await sqlite.close();
  await postgres?.close();
  await server?.stop();
}
