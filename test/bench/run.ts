// Measures the cost of the runner itself: a step that does nothing, and how much longer `bylaw run --resume` of a long workflow takes than
// `bylaw --version`.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { checkpoint } from "@bylaw/plugin-checkpoint";
import { constitution } from "@bylaw/plugin-constitution";
import { loop } from "@bylaw/plugin-loop";
import { vibecheck } from "@bylaw/plugin-vibecheck";
import {
  loadTemplate,
  loopOptionsOf,
  runWorkflow,
  workflow,
  type LoadedTemplate,
  type StepFunction,
} from "@bylaw/runner";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { BIN, benchFolder, median } from "./bench-kit.ts";

const SHORT = 1_000;
const LONG = 10_000;
const RUNS = 7;
/** The limits for the runner, in milliseconds: a step that does nothing, and resuming a long workflow. */
const MAX_MS = { step: 5, resume: 1_000 };

const folder = benchFolder();
const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** A workflow of programs, in which every tenth goes back by nine steps once. */
async function templateOf(
  name: string,
  count: number,
): Promise<LoadedTemplate & { readonly file: string }> {
  const file = join(folder, `${name}.json`);
  const steps = Array.from({ length: count }, (_, index) => ({
    id: `step-${index}`,
    run: { command: ["true"] },
    ...(index % 10 === 9 && index < count - 1 ? { loop: { steps: 9, max_iterations: 1 } } : {}),
  }));
  writeFileSync(file, JSON.stringify({ bylaw: 1, name, steps }));
  return { ...(await loadTemplate(file)), file };
}

/**
 * Runs the workflow in this process, up to its last step, with a function in place of each program. Resolves to the milliseconds of
 * each step.
 */
async function walk(
  { template, definition }: LoadedTemplate,
  store: string,
): Promise<readonly number[]> {
  const opened = await openSqliteStore(store);
  const kernel = createKernel({
    plugins: [loop(loopOptionsOf(template)), checkpoint(), vibecheck(), constitution(), workflow()],
  });
  const run = await openRun(kernel, { run: template.name, store: opened });
  const end = new AbortController();
  const times: number[] = [];
  let last: number | undefined;
  const work: StepFunction = async ({ step, visit }) => {
    const now = performance.now();
    if (last !== undefined) times.push(now - last);
    const here = Number(step.slice("step-".length));
    if (here === template.steps.length - 1) end.abort(new Error("enough"));
    else if (visit === 1 && here % 10 === 9) await run.behave({ action: "loop", step });
    last = performance.now();
    return undefined;
  };
  const steps = template.steps.map((step) => ({ ...step, run: { function: "work" } }));
  await runWorkflow({
    ...{
      run,
      template: { ...template, steps },
      definition,
      workspace: folder,
      controlFile: join(folder, "behavior.json"),
    },
    ...{ functions: { work }, signal: end.signal },
  }).catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  await run.close();
  await opened.close();
  return times;
}

/** Milliseconds of processor time of a command, as it reports itself when it exits. */
function processor(args: readonly string[], cwd: string): number {
  const report = join(folder, "processor");
  const preload = `import { writeFileSync } from "node:fs";
    process.on("exit", () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.cpuUsage())));`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  spawnSync(process.execPath, [...node, BIN, ...args], { cwd, stdio: "ignore" });
  const { user, system } = JSON.parse(readFileSync(report, "utf8")) as NodeJS.CpuUsage;
  return (user + system) / 1_000;
}

function milliseconds(args: readonly string[], cwd: string): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const took = performance.now() - begin;
  if (status !== 0)
    throw new Error(`${args.join(" ")} ended with ${String(status)}: ${stderr.toString()}`);
  return took;
}

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, SQLite\n`);
const short = await templateOf("short", SHORT);
const begun = process.cpuUsage();
const times = await walk(short, join(folder, "short.db"));
const used = process.cpuUsage(begun);
const [p50, p99] = [median(times), at(times, 0.99)];
console.log(
  `a step that does nothing, ${times.length} of them: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${((used.user + used.system) / 1_000 / times.length).toFixed(2)} ms of processor`,
);

const long = await templateOf("long", LONG);
const [versions, resumes]: [number[], number[]] = [[], []];
let events = 0;
const kept = join(folder, "kept.db");
events = (await walk(long, kept)).length;
const resume = (turn: number): readonly string[] => {
  const store = join(folder, `long-${turn}.db`);
  copyFileSync(kept, store);
  return ["run", long.file, "--store", store, "--run", "long", "--resume", "--json"];
};
for (let turn = 0; turn < RUNS; turn += 1) {
  versions.push(milliseconds(["--version"], folder));
  resumes.push(milliseconds(resume(turn), folder));
}
const beyond = median(resumes) - median(versions);
console.log(
  `bylaw run --resume of ${LONG} steps with loops, ${events} steps into it: ${median(resumes).toFixed(0)} ms, ${beyond.toFixed(0)} ms beyond --version, ${processor(resume(RUNS), folder).toFixed(0)} ms of processor`,
);
if (p50 > MAX_MS.step || beyond > MAX_MS.resume) {
  console.error(
    `\nThe runner takes longer than ${MAX_MS.step} ms a step or ${MAX_MS.resume} ms to resume`,
  );
  process.exitCode = 1;
}
