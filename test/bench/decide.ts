// The time of one decision in this process, admission of the call included, with 10 to 10,000 rules of mixed shapes.
import { cpus } from "node:os";
import { createKernel, type Decision, type Kernel, type ToolCall } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { measure } from "mitata";
import { hit, miss, policyOf } from "./rules.ts";

const SIZES = [10, 100, 1_000, 10_000];
const CALLS = 60;

interface Stream {
  readonly name: string;
  readonly calls: readonly ToolCall[];
  readonly effects: ReadonlySet<string>;
}

/** Calls that the first twentieth of the rules decide, the last, or none; all four shapes evenly. */
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

/** The stream is only worth timing when every call gets the answer that it was made for. */
function verify(kernel: Kernel, { name, calls, effects }: Stream): void {
  for (const call of calls) {
    const { effect } = kernel.decide(call) as Decision;
    if (!effects.has(effect)) throw new Error(`Unexpected ${effect} for ${call.tool} in ${name}`);
  }
}

interface Timing {
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
}

async function time(kernel: Kernel, calls: readonly ToolCall[]): Promise<Timing> {
  let next = 0;
  const stats = await measure(() => kernel.decide(calls[next++ % calls.length] as ToolCall), { min_cpu_time: 400e6 });
  return { p50: stats.p50 / 1e3, p99: stats.p99 / 1e3 };
}

const format = (value: number): string => value.toFixed(2);

console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}`);
console.log("Microseconds a decision: median, and the 99th percentile of all three kinds of calls together\n");
console.log("| rules | build ms | hit early | hit late | miss | all three | p99 |");
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const size of SIZES) {
  const start = performance.now();
  const kernel = createKernel({ plugins: [policy({ files: [], text: policyOf(size) })] });
  const built = performance.now() - start;
  const streams = streamsOf(size);
  for (const stream of streams) verify(kernel, stream);
  const timings: Timing[] = [];
  for (const { calls } of streams) timings.push(await time(kernel, calls));
  const medians = timings.map(({ p50 }) => format(p50));
  console.log(`| ${size} | ${built.toFixed(0)} | ${medians.join(" | ")} | ${format(timings.at(-1)?.p99 ?? Number.NaN)} |`);
}
