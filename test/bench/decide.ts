// Measures one decision in this process, with the admission of the call, under 10 to 10,000 rules of mixed shapes.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createKernel, type Decision, type Kernel, type ToolCall } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { measure } from "mitata";
import { MACHINE, median } from "./bench-kit.ts";
import { floorOf } from "./floor.ts";
import { printLines } from "./lines.ts";
import { hit, LONG_LINE, miss, policyOf } from "./rules.ts";

const SIZES = (process.env.SIZES ?? "10,100,1000,10000").split(",").map(Number);
const CALLS = 60;
const ROUNDS = 5;

interface Stream {
  readonly name: string;
  readonly calls: readonly ToolCall[];
  readonly effects: ReadonlySet<string>;
}

/** Calls decided by the first twentieth of the rules, by the last, or by none, spread evenly over the four shapes. */
function streamsOf(size: number): readonly Stream[] {
  const span = Math.max(4, Math.floor(size / 20));
  const pick = (from: number): readonly ToolCall[] =>
    Array.from({ length: CALLS }, (_, index) => hit(Math.min(size - 1, from + (index % span))));
  const missed = Array.from({ length: CALLS }, (_, index) => miss(index));
  const early = pick(0);
  const late = pick(size - span);
  const decided = new Set(["allow", "deny"]);
  const all = early.flatMap((call, index) => [call, late[index] ?? call, missed[index] ?? call]);
  return [
    { name: "hit early", calls: early, effects: decided },
    { name: "hit late", calls: late, effects: decided },
    { name: "miss", calls: missed, effects: new Set(["ask_user"]) },
    { name: "all three", calls: all, effects: new Set(["allow", "deny", "ask_user"]) },
  ];
}

/** Checks that every call of the stream gets the expected answer from both; otherwise timing it means nothing. */
function verify(
  kernel: Kernel,
  floor: (call: ToolCall) => string,
  { name, calls, effects }: Stream,
): void {
  for (const call of calls) {
    const { effect } = kernel.decidePrepared(call) as Decision;
    if (!effects.has(effect) || floor(call) !== effect)
      throw new Error(`Wrong answer ${effect} for ${call.tool} in ${name}`);
  }
}

/** The median over passes of the stream, in microseconds per call. A pass is long enough that reading the clock costs nothing. */
async function passes(
  calls: readonly ToolCall[],
  decide: (call: ToolCall) => unknown,
): Promise<number> {
  const pass = (): void => {
    for (const call of calls) decide(call);
  };
  const { p50 } = await measure(pass, { min_cpu_time: 250e6, warmup_samples: 500 });
  return p50 / calls.length / 1e3;
}

/** Medians over rounds in which all are timed in turn, so that a slow minute of the machine affects all of them. */
async function rounds(timed: readonly (() => Promise<number>)[]): Promise<readonly number[]> {
  const times: number[][] = timed.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, time] of timed.entries()) times[index]?.push(await time());
  }
  const [all = [], bare = []] = times.slice(-2);
  return [
    ...times.map(median),
    median(all.map((time, round) => time / (bare[round] ?? Number.NaN))),
  ];
}

/** The 99th percentile of single calls, in microseconds. */
async function slowest(
  calls: readonly ToolCall[],
  decide: (call: ToolCall) => unknown,
): Promise<number> {
  let next = 0;
  const { p99 } = await measure(() => decide(calls[next++ % calls.length] as ToolCall), {
    min_cpu_time: 200e6,
  });
  return p99 / 1e3;
}

/** The times of a short new shell line and of one of 100 characters, in microseconds, measured in a process of its own. */
const newLines = (size: number): readonly number[] =>
  execFileSync(process.execPath, [join(import.meta.dirname, "new-line.ts"), `${size}`], {
    encoding: "utf8",
  })
    .trim()
    .split("\n")
    .map(Number);

const format = (value: number): string => value.toFixed(2);

console.log(MACHINE);
console.log(
  `Microseconds a decision, admission of the call included: median of ${ROUNDS} rounds of the median over passes of the stream.`,
);
console.log(
  "p99: single decisions of all three kinds. floor: an index by hand that only looks up, same calls, same run.",
);
console.log(
  "new line: a shell line that never came before, in a process of its own; in the streams they come round again, and what was read of them is kept.",
);
console.log(
  `of 100: one of 100 characters, a list with a pipe and a redirection: ${LONG_LINE} 123\n`,
);
console.log(
  "| rules | load ms | hit early | hit late | miss | all three | p99 | new line | of 100 | floor | all three / floor |",
);
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const size of SIZES) {
  const start = performance.now();
  const kernel = createKernel({ plugins: [policy({ files: [], text: policyOf(size) })] });
  const loaded = performance.now() - start;
  const floor = floorOf(size);
  const decide = (call: ToolCall): unknown => kernel.decidePrepared(call);
  const streams = streamsOf(size);
  for (const stream of streams) verify(kernel, floor, stream);
  const all = streams.at(-1)?.calls ?? [];
  const decided = streams.map(
    ({ calls }) =>
      () =>
        passes(calls, decide),
  );
  const figures = await rounds([...decided, () => passes(all, floor)]);
  const cells = [
    ...figures.slice(0, decided.length),
    await slowest(all, decide),
    ...newLines(size),
    ...figures.slice(decided.length),
  ].map(format);
  console.log(`| ${size} | ${loaded.toFixed(0)} | ${cells.join(" | ")} |`);
}
await printLines();
