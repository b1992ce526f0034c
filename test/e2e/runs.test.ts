import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { allow, createKernel, defineProjection, type Config, type LogEvent } from "@bylaw/kernel";
import {
  createCatalogue,
  createLogVerifier,
  formatEventLine,
  openRun,
  type LogFinding,
  type OpenOptions,
  type Run,
} from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pluginOf } from "@bylaw/testing";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { scratch } from "./bylaw.ts";

// Runs on a real database: what packages/log proves in memory must hold across connections and processes too.

const counter = defineProjection<Readonly<Record<string, number>>>({
  name: "demo/counter",
  version: 1,
  initial: {},
  reduce: (state, { event_type }) => ({ ...state, [event_type]: (state[event_type] ?? 0) + 1 }),
});
const batches: (readonly number[])[] = [];
const demo = pluginOf(
  "demo",
  (kernel) => {
    kernel.projection(counter);
    kernel.hooks.beforeToolCall.tap("t", () => allow("fine"));
    kernel.event({ name: "note", details: z.strictObject({ text: z.string() }) });
    kernel.sink({
      name: "batches",
      required: true,
      open: () => ({
        write: (events) => void batches.push(events.map(({ sequence }) => sequence)),
      }),
    });
  },
  { grants: true },
);
const config: Config = { plugins: [demo] };
const opened = (store: Store, options: Partial<OpenOptions> = {}): Promise<Run> =>
  openRun(createKernel(config), { run: "r", store, ...options });
const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);
const call = (agent: number) => ({ tool: "read_file", agent: `a${agent}`, args: { path: "a" } });
const notes = (count: number) =>
  upTo(count).map((n) => ({
    event_type: "note",
    agent_id: null,
    task_id: null,
    details: { text: `${n % 89}` },
  }));

async function storeIn(file: string): Promise<Store> {
  const store = await openSqliteStore(file);
  onTestFinished(() => store.close());
  return store;
}

async function logOf(store: Store): Promise<readonly LogEvent[]> {
  const log: LogEvent[] = [];
  for (;;) {
    const page = await store.events("r", log.length, 1_000);
    if (page.length === 0) return log;
    log.push(...page);
  }
}

/** The faults of a log in envelope, chain, order and types, checked as strictly as possible. */
function findings(log: readonly LogEvent[]): readonly LogFinding[] {
  const catalogue = createCatalogue({
    mode: "strict",
    types: [{ name: "note", details: z.strictObject({ text: z.string() }) }],
  });
  const verifier = createLogVerifier({ catalogue });
  return log.flatMap((event) => verifier.line(formatEventLine(event)));
}

test("a log of several sessions is complete", async () => {
  const file = join(scratch(), "store.db");
  for (const session of upTo(4)) {
    const store = await openSqliteStore(file);
    const run = await opened(store);
    for (const agent of upTo(5)) expect((await run.toolCall(call(agent))).applied).toBe("allow");
    expect(run.head).toBe(session * 6);
    await run.close();
    await store.close();
  }
  const log = await logOf(await storeIn(file));
  expect(
    log
      .filter(({ event_type }) => event_type.startsWith("session_"))
      .map(({ sequence }) => sequence),
  ).toEqual([1, 7, 13, 19]);
  expect(findings(log)).toEqual([]);
});

test.each([{ join: true }, { join: false }])(
  "eight connections that open one empty log at once begin it once, with %j",
  async ({ join: joins }) => {
    const file = join(scratch(), "store.db");
    const stores = await Promise.all(upTo(8).map(() => storeIn(file)));
    const runs = await Promise.all(stores.map((store) => opened(store, { join: joins })));
    expect(new Set(runs.map(({ session }) => session)).size).toBe(joins ? 1 : 8);
    const outcomes = await Promise.all(runs.map((run, index) => run.toolCall(call(index))));
    expect(outcomes.filter(({ applied }) => applied === "allow")).toHaveLength(joins ? 8 : 1);
    const log = await logOf(stores[0] as Store);
    expect(log.filter(({ event_type }) => event_type === "session_start")).toHaveLength(1);
    expect(log).toHaveLength(9);
    expect(findings(log)).toEqual([]);
  },
);

test("calls that arrive together are written together, each event once and in order", async () => {
  batches.length = 0;
  const run = await opened(await storeIn(join(scratch(), "store.db")));
  const outcomes = await Promise.all(upTo(64).map((agent) => run.toolCall(call(agent))));
  expect(outcomes.every(({ applied }) => applied === "allow")).toBe(true);
  expect(batches.flat()).toEqual(upTo(65));
  expect(batches.length).toBeLessThan(32);
});

test("a long log is opened from its snapshot, with the state of the whole log", async () => {
  const file = join(scratch(), "store.db");
  const first = await storeIn(file);
  const run = await opened(first);
  for (let page = 0; page < 25; page += 1) await run.record(notes(100));
  await run.close();
  const store = await storeIn(file);
  let read = 0;
  const events: Store["events"] = async (...of) => {
    const page = await store.events(...of);
    read += page.length;
    return page;
  };
  const again = await opened({ ...store, events }, { join: true });
  expect(again.head).toBe(2_501);
  expect(read).toBeLessThan(1_100);
  const whole = await opened({ ...store, get: async () => undefined }, { join: true });
  expect(JSON.stringify(again.view(counter))).toBe(JSON.stringify(whole.view(counter)));
});

const WRITER = `
const [kernel, log, sqlite, file, name, rounds] = process.argv.slice(2);
const { createKernel } = await import(kernel);
const { openRun } = await import(log);
const { openSqliteStore } = await import(sqlite);
const store = await openSqliteStore(file);
const run = await openRun(createKernel({ fallback: "allow" }), { run: "r", store, join: true });
const line = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
let denied = false;
for (let round = 0; round < Number(rounds) && !denied; round += 1) {
  const calls = Array.from({ length: 4 }, (_, n) => run.toolCall({ tool: "read_file", agent: name + n, args: {} }));
  for (const { applied, decision, events } of await Promise.all(calls)) {
    denied ||= applied === "deny";
    line({ applied, reason: decision.reason, session: run.session, sequence: events[0]?.sequence ?? null });
  }
}
await run.close();
await store.close();
`;

interface Line {
  readonly applied: string;
  readonly reason: string;
  readonly session: string;
  readonly sequence: number | null;
}

/**
 * Starts processes that write into one run, four calls per round, until one is denied. `begun` resolves once each has printed
 * something.
 */
async function writers({ count, rounds }: { readonly count: number; readonly rounds: number }) {
  const cwd = scratch({ "writer.mjs": WRITER });
  const file = join(cwd, "store.db");
  const store = await storeIn(file);
  const { resolve } = createRequire(import.meta.url);
  const modules = ["@bylaw/kernel", "@bylaw/log", "@bylaw/store-sqlite"].map(
    (name) => pathToFileURL(resolve(name)).href,
  );
  const children = upTo(count).map((n) => {
    const child = spawn(
      process.execPath,
      ["writer.mjs", ...modules, file, `p${n}-`, String(rounds)],
      { cwd, stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => void child.kill());
    return { output: createInterface({ input: child.stdout }), exit: once(child, "exit") };
  });
  const read = async ({ output, exit }: (typeof children)[number]): Promise<readonly Line[]> => {
    const lines: Line[] = [];
    for await (const line of output) lines.push(JSON.parse(line) as Line);
    expect(await exit).toEqual([0, null]);
    return lines;
  };
  const begun = Promise.all(children.map(({ output }) => once(output, "line")));
  return { store, begun, all: Promise.all(children.map(read)).then((lines) => lines.flat()) };
}

// A process that waits for its turn may have an older clock than the last event: only a warning.
const grave = (log: readonly LogEvent[]): readonly unknown[] =>
  findings(log).filter(({ severity }) => severity === "error");

test("processes that join write one log, and lose nothing that was acknowledged", async () => {
  const { store, all } = await writers({ count: 4, rounds: 10 });
  const lines = await all;
  const log = await logOf(store);
  expect(lines.map(({ applied }) => applied)).toEqual(upTo(160).map(() => "allow"));
  expect(new Set(lines.map(({ session }) => session)).size).toBe(1);
  const sequences = lines.map(({ sequence }) => Number(sequence)).toSorted((a, b) => a - b);
  expect(sequences).toEqual(log.slice(1).map(({ sequence }) => sequence));
  expect(grave(log)).toEqual([]);
});

test("processes whose session is taken over record no more, and their events come before the other session", async () => {
  const { store, begun, all } = await writers({ count: 3, rounds: Infinity });
  await begun;
  const keeper = await opened(store);
  expect((await keeper.toolCall(call(0))).applied).toBe("allow");
  const lines = await all;
  const log = await logOf(store);
  const resumed = log.findIndex(({ event_type }) => event_type === "session_resumed");
  expect(new Set(log.slice(0, resumed).map(({ session_id }) => session_id)).size).toBe(1);
  expect(log.slice(resumed).map(({ session_id }) => session_id)).toEqual([
    keeper.session,
    keeper.session,
  ]);
  const allowed = lines
    .filter(({ applied }) => applied === "allow")
    .map(({ sequence }) => Number(sequence));
  expect(allowed.toSorted((a, b) => a - b)).toEqual(upTo(resumed).slice(1));
  const denied = lines.filter(({ applied }) => applied === "deny");
  expect(denied.length).toBeGreaterThanOrEqual(3);
  for (const { reason, sequence } of denied)
    expect([reason, sequence]).toEqual([expect.stringContaining("has taken the run over"), null]);
  expect(grave(log)).toEqual([]);
});
