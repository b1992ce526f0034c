// Compares the time of `bylaw check` with a bare Node, and shows whether its memory grows with a batch.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf, BIN, benchFolder, median } from "./bench-kit.ts";

// A batch takes seconds and leaves caches cold for the next call, so batches are timed apart from single calls.
const CALL_RUNS = 21;
const BATCH_RUNS = 5;
const RECOMMENDED = join(folderOf("@bylaw/ruleset-recommended"), "policy.toml");
const folder = benchFolder();

const policy = join(folder, "policy.toml");
writeFileSync(policy, Array.from({ length: 100 }, (_, index) => rule(index)).join("\n"));

function rule(index: number): string {
  const head = `[[rules]]\nname = "rule-${index}"\nreason = "rule ${index}"\n`;
  switch (index % 5) {
    case 0:
      return `${head}action = "allow"\ntool = "tool_${index}"\n`;
    case 1:
      return `${head}action = "deny"\ntool = "tool_${index}_*"\n`;
    case 2:
      return `${head}action = "ask_user"\nserver = "server_${index}"\ntool = "*"\n`;
    case 3:
      return `${head}action = "allow"\ntool = "read_file"\npaths = { read = "src/module_${index}/**" }\n`;
    default:
      return `${head}action = "deny"\ntool = "pay"\nargs = { amount = { min = ${index * 100} } }\n`;
  }
}

const CALLS = [
  (id: number) => ({
    tool: "read_file",
    args: { path: `src/module_${id % 100}/file_${id}.ts`, limit: 200 },
  }),
  (id: number) => ({
    tool: `tool_${id % 100}`,
    args: { text: "a line of text that a tool would get", count: id },
  }),
  (id: number) => ({
    tool: `tool_${id % 100}_x`,
    args: { flag: true, list: [1, 2, 3], nested: { deep: "value" } },
  }),
  (id: number) => ({
    tool: "search",
    server: `server_${id % 100}`,
    args: { query: `issue ${id}` },
    agent: "reviewer",
  }),
  (id: number) => ({
    tool: "pay",
    args: { amount: id % 10_000, currency: "EUR", to: `account ${id}` },
  }),
];

function batch(lines: number): string {
  const file = join(folder, `${lines}.jsonl`);
  const texts = Array.from({ length: lines }, (_, id) =>
    JSON.stringify({ id: String(id), ...CALLS[id % CALLS.length]?.(id), cwd: "/project" }),
  );
  writeFileSync(file, `${texts.join("\n")}\n`);
  return file;
}

// A project with the ruleset installed, and its configuration twice: as data and as code.
function project(): { readonly json: string; readonly typescript: string } {
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"));
  const json = join(folder, "recommended.json");
  writeFileSync(json, JSON.stringify({ extends: ["@bylaw/ruleset-recommended"] }));
  const typescript = join(folder, "recommended.ts");
  writeFileSync(
    typescript,
    `import { defineConfig } from "@bylaw/kernel";
    import { recommended } from "@bylaw/ruleset-recommended";
    export default defineConfig({ extends: [recommended] });`,
  );
  return { json, typescript };
}

type Case = readonly [name: string, args: readonly string[]];

// In turn, so that a busy minute of the machine affects all of them.
function timesOf(cases: readonly Case[], runs: number): readonly (readonly number[])[] {
  const times = cases.map((): number[] => []);
  for (let turn = 0; turn < runs; turn += 1)
    for (const [index, [, args]] of cases.entries()) times[index]?.push(milliseconds(args));
  return times;
}

function milliseconds(args: readonly string[]): number {
  const begin = performance.now();
  run(args);
  return performance.now() - begin;
}

// The child reports its own peak when it exits. Timed runs leave out the preload that does this.
function peakMegabytes(args: readonly string[]): number {
  const report = join(folder, "peak");
  const preload = `import { writeFileSync } from "node:fs";
    process.on("exit", () => writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)));`;
  run(args, ["--import", `data:text/javascript,${encodeURIComponent(preload)}`]);
  return Number(readFileSync(report, "utf8")) / 1024;
}

function run(args: readonly string[], node: readonly string[] = []): void {
  const sink = openSync(join(folder, "out"), "w");
  const { status, stderr } = spawnSync(process.execPath, [...node, ...args], {
    stdio: ["ignore", sink, "pipe"],
  });
  closeSync(sink);
  if (status !== 0)
    throw new Error(`${args.join(" ")} ended with ${String(status)}: ${stderr.toString()}`);
}

const check = (file: string): readonly string[] => [
  BIN,
  "check",
  "--batch",
  file,
  "--json",
  "--policy",
  policy,
];
const ask = (...rules: readonly string[]): readonly string[] => [
  ...[BIN, "check", "--json", "--tool", "bash", "--args", '{"command":"git status"}'],
  ...rules,
];
const { json, typescript } = project();
const empty = join(folder, "empty.mjs");
writeFileSync(empty, "");
const one = batch(1);
const [small, large] = [batch(10_000), batch(200_000)];
const calls: readonly Case[] = [
  ["node, an empty module", [empty]],
  ["bylaw --version", [BIN, "--version"]],
  ["check, recommended by --policy", ask("--policy", RECOMMENDED)],
  ["check, recommended in JSON", ask("--config", json)],
  ["check, recommended in TypeScript", ask("--config", typescript)],
  ["check --batch, 1 call", check(one)],
];
const batches: readonly Case[] = [
  ["check --batch, 10,000 calls", check(small)],
  ["check --batch, 200,000 calls", check(large)],
];
const cases = [...calls, ...batches];
const times = [...timesOf(calls, CALL_RUNS), ...timesOf(batches, BATCH_RUNS)];
const [bare = 0, version = 0] = times.map(median);
console.log(
  `Node ${process.version}, batches with 100 rules, wall time of the process: medians of ${CALL_RUNS} runs, of batches ${BATCH_RUNS}\n`,
);
console.log(
  `${"".padEnd(34)}${"ms".padStart(10)}${"beyond --version".padStart(20)}${"times bare Node".padStart(18)}${"peak RSS, MB".padStart(16)}`,
);
for (const [index, [name, args]] of cases.entries()) {
  const ms = median(times[index] ?? []);
  const peak = peakMegabytes(args);
  console.log(
    `${name.padEnd(34)}${ms.toFixed(0).padStart(10)}${(ms - version).toFixed(0).padStart(20)}${(ms / bare).toFixed(2).padStart(18)}${peak.toFixed(0).padStart(16)}`,
  );
}
