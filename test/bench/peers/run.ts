// Compares Bylaw with other engines: one process, the same rules and calls, in interleaved rounds.
import { cpus } from "node:os";
import { agentGovernance } from "./agent-governance.ts";
import { bylaw, bylawAnew } from "./bylaw.ts";
import { casbin } from "./casbin.ts";
import { cedar } from "./cedar.ts";
import { gemini } from "./gemini.ts";
import { installPeers, versionOf } from "./install.ts";
import { rulesEngine } from "./rules-engine.ts";
import { questionsOf, rulesOf, type Engine, type Peer, type Question } from "./workload.ts";

const SIZES = process.argv.slice(2).map(Number);
const ROUNDS = 7;
/** The time limit of one round of one engine, in milliseconds. It makes at least one call. */
const BUDGET = 120;
const PEERS: readonly Peer[] = [
  bylaw,
  bylawAnew,
  gemini,
  cedar,
  casbin,
  rulesEngine,
  agentGovernance,
];

interface Cell {
  readonly medians: number[];
  readonly singles: number[];
}

const shell = ({ command }: Question): boolean => command !== undefined;

/** One round: as many whole passes, or calls, as fit into the time limit. Records microseconds per call. */
async function round(engine: Engine, questions: readonly Question[], cell: Cell): Promise<void> {
  const end = performance.now() + BUDGET;
  let calls = 0;
  // Reading the clock after each call slows fast engines down, so they read it every sixteen calls. Sixteen calls of a slow engine
  // take seconds.
  let stride = 16;
  const started = performance.now();
  do {
    for (const question of questions) {
      const answer = engine.ask(question);
      if (typeof answer !== "string") await answer;
      calls += 1;
      if (calls === 1 && performance.now() - started > 1) stride = 1;
      if (calls % stride === 0 && performance.now() > end) break;
    }
  } while (performance.now() < end);
  cell.medians.push(((performance.now() - started) * 1000) / calls);
  const last = performance.now() + BUDGET / 4;
  for (const question of questions) {
    const from = process.hrtime.bigint();
    const answer = engine.ask(question);
    if (typeof answer !== "string") await answer;
    cell.singles.push(Number(process.hrtime.bigint() - from) / 1000);
    if (performance.now() > last) break;
  }
}

async function verify(peer: Peer, engine: Engine, questions: readonly Question[]): Promise<void> {
  for (const question of questions) {
    const effect = await engine.ask(question);
    if (effect !== question.expected)
      throw new Error(
        `Wrong answer ${effect} of ${peer.name} for ${JSON.stringify(question.call)}`,
      );
  }
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;
const format = (value: number): string =>
  value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en-US");

installPeers();
console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}`,
);
for (const { name, note } of PEERS)
  console.log(`* ${name}${name.startsWith("Bylaw") ? "" : ` ${versionOf(name)}`}: ${note}`);
console.log(
  "\nMicroseconds a check: median of the rounds / 99th percentile of single calls. x: times Bylaw's median.",
);
for (const size of SIZES.length > 0 ? SIZES : [10, 100, 1_000, 10_000]) {
  const questions = questionsOf(size);
  const streams = [questions.filter((question) => !shell(question)), questions.filter(shell)];
  const rules = rulesOf(size);
  const engines = new Map<Peer, Engine>();
  for (const peer of PEERS) {
    const engine = await peer.build(rules, size);
    // Slow engines with many rules answer only a part of the calls.
    await verify(
      peer,
      engine,
      size > 1_000 ? questions.filter((_, at) => at % 5 === 0) : questions,
    );
    engines.set(peer, engine);
  }
  const cells = new Map(
    PEERS.map((peer) => [peer, streams.map((): Cell => ({ medians: [], singles: [] }))]),
  );
  for (let at = 0; at <= ROUNDS; at += 1) {
    for (const peer of PEERS) {
      const engine = engines.get(peer);
      const row = cells.get(peer);
      if (engine === undefined || row === undefined) continue;
      for (const [kind, stream] of streams.entries()) {
        const cell = row[kind];
        // The first round only warms up.
        if (cell !== undefined)
          await round(engine, stream, at === 0 ? { medians: [], singles: [] } : cell);
      }
    }
  }
  console.log(`\n${size.toLocaleString("en-US")} rules\n`);
  console.log(
    "| engine | other calls | x | shell calls | x |\n| --- | ---: | ---: | ---: | ---: |",
  );
  const base = cells.get(bylaw)?.map(({ medians }) => percentile(medians, 0.5)) ?? [];
  for (const peer of PEERS) {
    const columns = (cells.get(peer) ?? []).flatMap(({ medians, singles }, kind) => {
      const median = percentile(medians, 0.5);
      return [
        `${format(median)} / ${format(percentile(singles, 0.99))}`,
        format(median / (base[kind] ?? Number.NaN)),
      ];
    });
    console.log(`| ${peer.name} | ${columns.join(" | ")} |`);
  }
}
// The policy's own memory must not grow over 100,000 decisions.
const kernel = await bylaw.build(rulesOf(100), 100);
const calls = questionsOf(100);
const used = (): number => {
  for (let at = 0; at < 4; at += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const pass = (count: number): void => {
  for (let at = 0; at < count; at += 1) void kernel.ask(calls[at % calls.length] as Question);
};
const ROUNDS_OF_CHECKS = 10;
for (let at = 0; at < ROUNDS_OF_CHECKS; at += 1) pass(100_000);
// V8 discards compiled code and compiles it again, some 300 KiB either way. A leak of one byte a check is a megabyte.
const before = used();
for (let at = 0; at < ROUNDS_OF_CHECKS; at += 1) pass(100_000);
const growth = (used() - before) / 1024;
console.log(
  `\nHeap after ${(ROUNDS_OF_CHECKS * 100_000).toLocaleString("en-US")} more checks of Bylaw: ${growth.toFixed(0)} KiB more`,
);
// Parsers of some peers keep handles open for ever.
process.exit(0);
