// Measures what `@bylaw/plugin-otel` adds to a recorded decision in memory, without an SDK and with one whose sampler records nothing:
// processor time of this thread, the least of many rounds in turn.
import { cpus } from "node:os";
import { createKernel, type Plugin } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { otel } from "@bylaw/plugin-otel";
import { trace } from "@opentelemetry/api";
import { AlwaysOffSampler, TracerProvider } from "@opentelemetry/sdk-trace";

const ROUNDS = 60;
const CALLS = 1_500;
/** The limit for the plugin without an SDK, in microseconds a decision. */
const MOST = 5;

/** Microseconds a decision, over one round in a fresh run. */
async function round(plugins: readonly Plugin[]): Promise<number> {
  const kernel = createKernel({ plugins, fallback: "allow" });
  const run = await openRun(kernel, { run: "bench", store: createMemoryStore() });
  const before = process.threadCpuUsage();
  for (let index = 0; index < CALLS; index += 1)
    await run.toolCall({ id: `c${index}`, tool: "read_file", args: { path: "src/a.ts" } });
  const { user, system } = process.threadCpuUsage(before);
  await run.close();
  return (user + system) / CALLS;
}

const sampledOut = new TracerProvider({ sampler: new AlwaysOffSampler() });
const least = { bare: Infinity, silent: Infinity, unsampled: Infinity };
for (let turn = 0; turn < ROUNDS; turn += 1) {
  least.bare = Math.min(least.bare, await round([]));
  least.silent = Math.min(least.silent, await round([otel()]));
  trace.setGlobalTracerProvider(sampledOut);
  least.unsampled = Math.min(least.unsampled, await round([otel()]));
  trace.disable();
}
const added = (one: number): string => (one - least.bare).toFixed(1);
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, in memory\n`);
console.log(
  `a recorded decision: ${least.bare.toFixed(1)} µs; the plugin adds ${added(least.silent)} µs without an SDK, ${added(least.unsampled)} µs with a sampler that is off`,
);
if (least.silent - least.bare > MOST) {
  console.error(`\nThe plugin adds more than ${MOST} µs to a decision`);
  process.exitCode = 1;
}
