// Measures what `@bylaw/plugin-otel` adds to a recorded decision in memory, without an SDK and with one whose sampler records nothing.
// Processor time of this thread; the median over many turns of the difference to the same run without the plugin, because other load
// moves both. The SDK's own part is that of a sink that only starts and ends a span.
import { cpus } from "node:os";
import { createKernel, definePlugin, type Plugin } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { otel } from "@bylaw/plugin-otel";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, TracerProvider } from "@opentelemetry/sdk-trace";
import { z } from "zod";

const ROUNDS = 60;
/** Warm-up turns, which are not counted. */
const WARM_UP = 6;
/** So many that a round lasts far longer than the ticks, of up to 4 ms, in which some systems count processor time. */
const CALLS = 2_000;
/** The limit for the plugin, in microseconds a decision. */
const MAX_MICROSECONDS = 5;

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
const tracer = sampledOut.getTracer("bench");
const spans = definePlugin({
  ...{ name: "spans", version: "1.0.0", options: z.strictObject({}).prefault({}) },
  apply: (kernel) =>
    kernel.sink({
      name: "spans",
      open: () => ({
        write(events) {
          for (const { timestamp } of events)
            tracer
              .startSpan("decide", { startTime: Date.parse(timestamp) }, ROOT_CONTEXT)
              .end(Date.now());
        },
      }),
    }),
});
const turns: { readonly bare: number; silent: number; unsampled: number; sdk: number }[] = [];
for (let turn = 0; turn < ROUNDS; turn += 1) {
  const bare = await round([]);
  const silent = (await round([otel()])) - bare;
  const sdk = (await round([spans()])) - bare;
  trace.setGlobalTracerProvider(sampledOut);
  const unsampled = (await round([otel()])) - bare;
  trace.disable();
  if (turn >= WARM_UP) turns.push({ bare, silent, unsampled, sdk });
}
const median = (kind: keyof (typeof turns)[number]): number =>
  turns.map((turn) => turn[kind]).sort((a, b) => a - b)[Math.floor(turns.length / 2)] ?? Infinity;
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, in memory\n`);
console.log(
  `a recorded decision: ${median("bare").toFixed(1)} µs; the plugin adds ${median("silent").toFixed(1)} µs without an SDK, ${median("unsampled").toFixed(1)} µs with a sampler that is off, of which the SDK alone takes ${median("sdk").toFixed(1)} µs`,
);
if (Math.max(median("silent"), median("unsampled")) > MAX_MICROSECONDS) {
  console.error(`\nThe plugin adds more than ${MAX_MICROSECONDS} µs to a decision`);
  process.exitCode = 1;
}
