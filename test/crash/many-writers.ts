// Many processes append to one JSONL file; then writers of a file that rotates are killed at random points:
// node test/crash/many-writers.ts [--processes 20] [--appends 500] [--rounds 50] [--seed 1]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { LogEvent } from "@bylaw/kernel";
import { createLogVerifier, parseEventLine } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";

/** What the files of one log came to. */
export interface FilesReport {
  readonly acknowledged: number;
  readonly events: number;
  readonly files: number;
  /** Lines that a killed writer left torn. */
  readonly torn: number;
  /** What does not hold, in words. */
  readonly faults: readonly string[];
}

/** Lets so many processes append so many events each to one file. */
export function manyWriters(processes: number, appends: number): Promise<FilesReport> {
  return inFolder(async (folder) => {
    const writers = Array.from({ length: processes }, (_, index) => start({ folder, id: `w${index}`, count: appends, rotate: {} }));
    const codes = await Promise.all(writers.map(({ ended }) => ended));
    const report = await held(folder, new Set(writers.flatMap(({ acknowledged }) => acknowledged)), true);
    const faults = [...report.faults];
    if (codes.some((code) => code !== 0)) faults.push(`writers ended with ${codes.join(", ")}`);
    if (report.events !== processes * appends + 1) faults.push(`${report.events} events, expected ${processes * appends + 1}`);
    return { ...report, faults };
  });
}

/** Kills writers of a file that rotates every few events, in rounds, and holds the files against the store after each. */
export function crashRotation(rounds: number, seed: number): Promise<FilesReport> {
  const random = randomOf(seed);
  return inFolder(async (folder) => {
    const told = new Set<string>();
    const faults: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const rotate = { bytes: 1_500 + Math.floor(random() * 3_000) };
      const writers = [0, 1, 2].map((index) => start({ folder, id: `r${round}w${index}`, count: 1_000_000, rotate }));
      // Now and then while they still open the log, else somewhere in their work.
      for (const writer of writers) {
        await writer.told(Math.floor(random() * 25));
        await new Promise((resolve) => setTimeout(resolve, 5 * random()));
        writer.kill();
      }
      for (const { ended, acknowledged } of writers) {
        if ((await ended) !== null) faults.push(`round ${round}: a writer ended by itself`);
        for (const line of acknowledged) told.add(line);
      }
      faults.push(...(await held(folder, told, false)).faults.map((fault) => `round ${round}: ${fault}`));
    }
    const last = start({ folder, id: "last", count: 1, rotate: {} });
    if ((await last.ended) !== 0) faults.push("the log cannot be opened again");
    for (const line of last.acknowledged) told.add(line);
    const report = await held(folder, told, true);
    return { ...report, faults: [...faults, ...report.faults] };
  });
}

interface Writer {
  readonly acknowledged: readonly string[];
  /** Resolves when so many events were acknowledged to it; 0: at once. */
  told(count: number): Promise<void>;
  readonly ended: Promise<number | null>;
  kill(): void;
}

function start(task: object): Writer {
  const script = join(import.meta.dirname, "many-writer.ts");
  const writer = spawn(process.execPath, [script, JSON.stringify(task)], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: string[] = [];
  const lines = createInterface({ input: writer.stdout });
  lines.on("line", (line) => acknowledged.push(line));
  const read = once(lines, "close");
  const ended = once(writer, "exit").then(async ([code]) => {
    await read;
    return code as number | null;
  });
  async function told(count: number): Promise<void> {
    while (acknowledged.length < count && writer.exitCode === null) await Promise.race([once(lines, "line"), ended]);
  }
  return { acknowledged, ended, told, kill: () => void writer.kill("SIGKILL") };
}

// Every acknowledged event is there, once and in order, and what is there is a beginning of the store, or all of it.
async function held(folder: string, told: ReadonlySet<string>, whole: boolean): Promise<FilesReport> {
  const verifier = createLogVerifier();
  const faults: string[] = [];
  const events: LogEvent[] = [];
  let torn = 0;
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  // Those that were rotated, by their first event, and then the one that is being written.
  files.sort((one, other) => Number(one === "crash.jsonl") - Number(other === "crash.jsonl") || (one < other ? -1 : 1));
  for (const file of files) {
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    if (lines.pop() !== "") torn += 1;
    for (const line of lines) {
      for (const { rule, severity, message } of verifier.line(line)) {
        if (severity === "error" && rule !== "INVALID_JSON") faults.push(`${file}: ${rule} ${message}`);
      }
      try {
        const event = parseEventLine(line);
        if (event.event_type !== "log_anchor") events.push(event);
      } catch {
        torn += 1;
      }
    }
  }
  const store = await openSqliteStore(join(folder, "store.db"));
  const stored: LogEvent[] = [];
  for (let page = await store.events("crash", 0, 5_000); page.length > 0; page = await store.events("crash", stored.length, 5_000)) {
    stored.push(...page);
  }
  await store.close();
  const different = events.findIndex((event, index) => JSON.stringify(event) !== JSON.stringify(stored[index]));
  if (different !== -1) faults.push(`event ${different + 1} of the files is not that of the store`);
  if (whole && events.length !== stored.length) faults.push(`${events.length} events in the files, ${stored.length} in the store`);
  const there = new Set(events.map(({ sequence, details }) => `${sequence} ${String(details["id"])}`));
  const lost = [...told].filter((line) => !there.has(line));
  if (lost.length > 0) faults.push(`${lost.length} acknowledged events are not in the files: ${lost.slice(0, 3).join(", ")}`);
  return { acknowledged: told.size, events: events.length, files: files.length, torn, faults };
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-crash-files-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Small, and the same everywhere.
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      processes: { type: "string", default: "20" },
      appends: { type: "string", default: "500" },
      rounds: { type: "string", default: "50" },
      seed: { type: "string", default: "1" },
    },
  });
  const tests: readonly (readonly [string, () => Promise<FilesReport>])[] = [
    [`${values.processes} processes, ${values.appends} appends each`, () => manyWriters(Number(values.processes), Number(values.appends))],
    [`${values.rounds} rounds of kills while files rotate`, () => crashRotation(Number(values.rounds), Number(values.seed))],
  ];
  for (const [name, test] of tests) {
    const begun = performance.now();
    const { acknowledged, events, files, torn, faults } = await test();
    const seconds = ((performance.now() - begun) / 1e3).toFixed(1);
    console.log(
      `jsonl, ${name}: ${acknowledged} acknowledged, ${events} events in ${files} files, ${torn} torn, ${faults.length} faults, ${seconds} s`,
    );
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}
