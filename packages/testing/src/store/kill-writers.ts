import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { messageOf, type Json } from "@bylaw/kernel";

/** How writers are started and killed. */
export interface KillOptions {
  /** The script that each writer runs in a child process, as a `file:` URL. It must print one JSON value per line, for ever. */
  readonly script: string;
  /** Its arguments, followed by the name of the writer: `<round>-<number>`. */
  readonly args: readonly string[];
  /** How often all writers are killed and started again. */
  readonly rounds: number;
  /** How many writers run at the same time. Default: 3. */
  readonly writers?: number;
  /** The same seed kills after the same lines. Default: 1. */
  readonly seed?: number;
  /** Called while the writers of a round are at work, with the random numbers of the round, for example to kill their server. */
  readonly disturb?: (random: () => number, round: number) => Promise<void>;
  /** Called after each round, when all writers are dead, with what they printed. */
  readonly onRound: (lines: readonly Json[], round: number) => Promise<void>;
}

/** The most lines after which a writer is killed. */
const MAX_LINES = 60;
/** How long writers may print nothing, in milliseconds. */
const SILENCE = 60_000;

/**
 * Starts writers, and kills them with SIGKILL at random points: first one, then the others. Every complete line is reported, so a line that
 * is printed after an acknowledgement proves it. Throws if a writer ends by itself or prints nothing. Resolves to the number of kills.
 */
export async function killWriters(options: KillOptions): Promise<number> {
  const { script, args, rounds, writers = 3, seed = 1, disturb, onRound } = options;
  const random = createRandom(seed);
  let kills = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const started = Array.from({ length: writers }, (_, index) =>
      startWriter(fileURLToPath(script), [...args, `${round}-${index}`]),
    );
    try {
      const total = (): number => started.reduce((sum, { lines }) => sum + lines.length, 0);
      const victim = started[Math.floor(random() * writers)] ?? started[0];
      const first = 1 + Math.floor(random() * MAX_LINES);
      const pause = random() * 4;
      const rest = first + Math.floor(random() * MAX_LINES);
      await reached(started, () => total() >= first);
      await sleep(pause);
      await victim?.kill();
      await disturb?.(random, round);
      const others = started.filter((one) => one !== victim);
      if (others.length > 0) await reached(others, () => total() >= rest);
    } finally {
      await Promise.all(started.map((one) => one.kill()));
    }
    kills += writers;
    await onRound(
      started.flatMap(({ lines }) => lines.map((line) => JSON.parse(line) as Json)),
      round,
    );
  }
  return kills;
}

interface Writer {
  readonly lines: readonly string[];
  /** Why it ended by itself. */
  readonly ended: () => string | undefined;
  readonly kill: () => Promise<void>;
  /** Resolves when it has printed more, or has ended. */
  readonly news: () => Promise<unknown>;
}

function startWriter(script: string, args: readonly string[]): Writer {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let rest = "";
  let complaint = "";
  let ended: string | undefined;
  let notified = Promise.withResolvers<void>();
  const tell = (): void => {
    notified.resolve();
    notified = Promise.withResolvers();
  };
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    tell();
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (complaint += chunk));
  const closed = once(child, "close").then(
    ([code, signal]) => (ended = `${signal ?? `code ${String(code)}`}: ${complaint}`),
    (error: unknown) => (ended = messageOf(error)),
  );
  void closed.then(tell);
  return {
    lines,
    ended: () => ended,
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
    news: () => notified.promise,
  };
}

async function reached(writers: readonly Writer[], done: () => boolean): Promise<void> {
  while (!done()) {
    const ended = writers.map((one) => one.ended()).find((reason) => reason !== undefined);
    if (ended !== undefined) throw new Error(`A writer ended before it was killed: ${ended}`);
    const silence = sleep(SILENCE, "silence", { ref: false });
    const news = await Promise.race([silence, ...writers.map((one) => one.news())]);
    if (news === "silence") throw new Error(`No writer wrote a line for ${SILENCE} ms`);
  }
}

/** Random numbers below 1, equal for equal seeds (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
