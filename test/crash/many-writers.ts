// Many processes append to one JSONL file, and writers of a file that rotates are killed at random points.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LogEvent } from "@bylaw/kernel";
import { createLogVerifier, parseEventLine } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import type { CrashReport } from "@bylaw/testing";

const PROCESSES = 20;
const APPENDS = 500;
const KILLED = 3;
const CHECK_EVERY = 5;

/** Has 20 processes append 500 events each to one file. */
export async function manyWriters(folder: string): Promise<CrashReport> {
  const writers = Array.from({ length: PROCESSES }, (_, index) =>
    start({ folder, id: `w${index}`, count: APPENDS, rotate: {} }),
  );
  const codes = await Promise.all(writers.map(({ ended }) => ended));
  const told = new Set(writers.flatMap(({ acknowledged }) => acknowledged));
  const { events, faults } = await held(folder, told, true);
  if (codes.some((code) => code !== 0)) faults.push(`writers ended with ${codes.join(", ")}`);
  // One more event begins the session.
  if (events !== PROCESSES * APPENDS + 1)
    faults.push(`${events} events, expected ${PROCESSES * APPENDS + 1}`);
  return { rounds: 1, kills: 0, acknowledged: told.size, events, unacknowledged: 0, faults };
}

/** Kills writers of a file that rotates every few events, in rounds, and compares the files with the store after each round. */
export async function crashRotation(
  folder: string,
  rounds: number,
  seed: number,
): Promise<CrashReport> {
  const random = randomOf(seed);
  const told = new Set<string>();
  const faults: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const rotate = { bytes: 1_500 + Math.floor(random() * 3_000) };
    const writers = Array.from({ length: KILLED }, (_, index) =>
      start({ folder, id: `r${round}w${index}`, count: 1_000_000, rotate }),
    );
    // Some are killed while they open the log, the others during their work.
    for (const writer of writers) {
      await writer.told(Math.floor(random() * 25));
      await new Promise((resolve) => setTimeout(resolve, 5 * random()));
      writer.kill();
    }
    for (const { ended, acknowledged } of writers) {
      if ((await ended) !== null) faults.push(`round ${round}: a writer ended by itself`);
      for (const line of acknowledged) told.add(line);
    }
    if (round % CHECK_EVERY === 0)
      faults.push(
        ...(await held(folder, told, false)).faults.map((fault) => `round ${round}: ${fault}`),
      );
  }
  const last = start({ folder, id: "last", count: 1, rotate: {} });
  if ((await last.ended) !== 0) faults.push("the log cannot be opened again");
  for (const line of last.acknowledged) told.add(line);
  const whole = await held(folder, told, true);
  const { events } = whole;
  return {
    rounds,
    kills: rounds * KILLED,
    acknowledged: told.size,
    events,
    unacknowledged: events - told.size,
    faults: [...faults, ...whole.faults],
  };
}

interface Writer {
  readonly acknowledged: readonly string[];
  /** Resolves once `count` of its events were acknowledged; 0 resolves at once. */
  told(count: number): Promise<void>;
  readonly ended: Promise<number | null>;
  kill(): void;
}

function start(task: object): Writer {
  const script = join(import.meta.dirname, "many-writer.ts");
  const writer = spawn(process.execPath, [script, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  const lines = createInterface({ input: writer.stdout });
  lines.on("line", (line) => acknowledged.push(line));
  const read = once(lines, "close");
  const ended = once(writer, "exit").then(async ([code]) => {
    await read;
    return code as number | null;
  });
  async function told(count: number): Promise<void> {
    while (acknowledged.length < count && writer.exitCode === null)
      await Promise.race([once(lines, "line"), ended]);
  }
  return { acknowledged, ended, told, kill: () => void writer.kill("SIGKILL") };
}

// Every acknowledged event is in the files, once and in order, and the files are a prefix of the store, or all of it.
async function held(
  folder: string,
  told: ReadonlySet<string>,
  whole: boolean,
): Promise<{ readonly events: number; readonly faults: string[] }> {
  const verifier = createLogVerifier();
  const faults: string[] = [];
  const events: LogEvent[] = [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  // The rotated files, by their first event, then the current one.
  files.sort(
    (one, other) =>
      Number(one === "crash.jsonl") - Number(other === "crash.jsonl") || (one < other ? -1 : 1),
  );
  for (const file of files) {
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    // Text after the last line break is not a line yet.
    lines.pop();
    for (const line of lines) {
      for (const { rule, severity, message } of verifier.line(line)) {
        if (severity === "error" && rule !== "INVALID_JSON")
          faults.push(`${file}: ${rule} ${message}`);
      }
      try {
        const event = parseEventLine(line);
        if (event.event_type !== "log_anchor") events.push(event);
      } catch {
        // A torn line that a later writer closed.
      }
    }
  }
  const store = await openSqliteStore(join(folder, "store.db"));
  const stored: LogEvent[] = [];
  for (
    let page = await store.events("crash", 0, 5_000);
    page.length > 0;
    page = await store.events("crash", stored.length, 5_000)
  ) {
    stored.push(...page);
  }
  await store.close();
  const different = events.findIndex(
    (event, index) => JSON.stringify(event) !== JSON.stringify(stored[index]),
  );
  if (different !== -1) faults.push(`event ${different + 1} of the files is not that of the store`);
  if (whole && events.length !== stored.length)
    faults.push(`${events.length} events in the files, ${stored.length} in the store`);
  const there = new Set(
    events.map(({ sequence, details }) => `${sequence} ${String(details["id"])}`),
  );
  const lost = [...told].filter((line) => !there.has(line));
  if (lost.length > 0)
    faults.push(
      `${lost.length} acknowledged events are not in the files: ${lost.slice(0, 3).join(", ")}`,
    );
  return { events: events.length, faults };
}

// A small seeded generator, the same on every machine.
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
