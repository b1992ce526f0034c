// Loads a built server for a long time, ends and restarts it in every step, and checks what must hold after each: npm run soak --
// [--minutes 30] [--store sqlite|postgres] [--agents 8] [--seed 1] [--step-seconds 30] [--pause-ms 40] [--json]
import { parseArgs } from "node:util";
import { soak, type SoakReport, type StepReport } from "./soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    "step-seconds": { type: "string", default: "30" },
    store: { type: "string", default: "sqlite" },
    agents: { type: "string", default: "8" },
    "pause-ms": { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const { store, json } = values;
if (store !== "sqlite" && store !== "postgres")
  throw new Error(`--store must be sqlite or postgres, not \`${store}\``);
const step_ms = numberOf("step-seconds") * 1_000;
// An interrupt still prints the report of the steps so far, and leaves no process behind.
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => interrupted.abort());

const COLUMNS = [
  "step",
  "ended",
  "away ms",
  "requests",
  "acked",
  "events",
  "memory",
  "fds",
  "lag ms",
  "left",
] as const;
const lineOf = (cells: readonly (string | number)[]): string =>
  cells.map((cell) => String(cell).padStart(9)).join("");
if (!json) console.log(`seed ${values.seed}, ${store}\n${lineOf(COLUMNS)}`);
const report = await soak({
  ...{
    store,
    step_ms,
    seed: numberOf("seed"),
    agents: numberOf("agents"),
    pause_ms: numberOf("pause-ms"),
  },
  steps: Math.max(1, Math.round((numberOf("minutes") * 60_000) / step_ms)),
  signal: interrupted.signal,
  onStep: (step) => json || console.log(rowOf(step)),
});
if (report === undefined) console.log("SKIPPED: no PostgreSQL");
else if (json) console.log(JSON.stringify(report));
else summarise(report);
if ((report?.faults.length ?? 0) > 0) process.exitCode = 1;

function numberOf(name: "minutes" | "step-seconds" | "agents" | "pause-ms" | "seed"): number {
  const value = Number(values[name]);
  if (!(value >= 0) || values[name] === "")
    throw new Error(`--${name} must be a number, not \`${values[name]}\``);
  return value;
}

function rowOf({
  step,
  ended,
  restart_ms,
  requests,
  acknowledged,
  events,
  memory,
  descriptors,
  lag,
  left,
}: StepReport): string {
  return lineOf([
    step,
    ended,
    restart_ms.toFixed(0),
    requests,
    acknowledged,
    events,
    memory.toFixed(0),
    descriptors,
    lag.toFixed(0),
    left,
  ]);
}

function summarise({ counts, memory_slope, faults }: SoakReport): void {
  for (const [name, times] of Object.entries(counts))
    console.log(`${String(times).padStart(9)}  ${name}`);
  console.log(`Memory: ${memory_slope.toFixed(2)} MiB a step`);
  console.log(faults.length === 0 ? "No faults" : `${faults.length} faults`);
  for (const fault of faults.slice(0, 50)) console.log(`  ${fault}`);
}
