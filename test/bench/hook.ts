// Compares the hook of a coding agent, as a whole process, with a bare Node: asking the engine, and deciding on its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineStatus } from "@bylaw/engine";
import { enginePlace, requestEngine } from "@bylaw/hook-client";
import { folderOf, BIN, benchFolder, median } from "./bench-kit.ts";

const ROUNDS = 41;
const REQUESTS = 10_000;
const root = benchFolder();
const config = join(root, "bylaw.config.json");
const client = folderOf("@bylaw/hook-client");
const place = enginePlace({ bin: BIN, folder: join(root, "run") });
const hook = ["hook", "claude-code", "--config", config, "--engine", place.folder];

const eventOf = (tool_name: string, tool_input: object): string =>
  JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: "s", cwd: root, tool_use_id: "t" },
    ...{ tool_name, tool_input },
  });
const PUSH = eventOf("Bash", { command: "git push --force origin main" });
const mixed = (id: number): string =>
  [
    eventOf("Bash", { command: `git log -n ${id} && rm -rf build/${id}` }),
    eventOf("Read", { file_path: `src/module_${id}.ts` }),
    eventOf("Write", { file_path: `src/module_${id}.ts`, content: "x".repeat(id % 4_000) }),
    eventOf("mcp__server__tool", { query: `issue ${id}` }),
  ][id % 4] ?? PUSH;

const node = process.execPath;
const thin = join(client, "dist/hook-client.cjs");
const shell = [join(client, "src/hook-client.sh"), "/usr/bin/curl", place.socket];
const CASES: readonly (readonly [string, string, readonly string[], string])[] = [
  ["`node -e 0`", node, ["-e", "0"], ""],
  ["engine, client in Node", node, [thin, BIN, ...hook], "1.3"],
  ["engine, client with curl", "/bin/sh", [...shell, node, thin, BIN, ...hook], "0.5"],
  ["`bylaw hook`, no engine", node, [BIN, ...hook], "2.4"],
];

function milliseconds(program: string, args: readonly string[]): number {
  const begin = performance.now();
  const { status, stdout } = spawnSync(program, args, { input: PUSH, encoding: "utf8", cwd: root });
  const taken = performance.now() - begin;
  if (status !== 0 || (args.includes("hook") && !stdout.includes('"deny"')))
    throw new Error(`${args.join(" ")} ended with ${String(status)}: ${stdout}`);
  return taken;
}

async function request(input: string): Promise<void> {
  const fields = {
    bin: BIN,
    host: "claude-code",
    config,
    cwd: root,
    home: process.env["HOME"] ?? "",
  };
  const xdg = process.env["XDG_CONFIG_HOME"] ?? "";
  const { status } = await requestEngine(place, {
    ...{ path: "/hook", fields: { ...fields, xdg }, input: Buffer.from(input), timeout: 10_000 },
  });
  if (status !== 200) throw new Error(`The engine replied with ${status}`);
}

async function rss(): Promise<number> {
  const status = await engineStatus(place);
  if (typeof status !== "object") throw new Error(status ?? "No engine runs");
  return status.rss_bytes / 2 ** 20;
}

try {
  mkdirSync(place.folder, { mode: 0o700 });
  writeFileSync(config, '{ "extends": ["@bylaw/ruleset-recommended"] }');
  for (const [, program, args] of CASES) milliseconds(program, args);
  const first = await rss();
  const times = CASES.map(() => [] as number[]);
  // In turn, so that a busy minute of the machine affects all of them.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, [, program, args]] of CASES.entries())
      times[index]?.push(milliseconds(program, args));
  const [bare = 0] = times.map(median);
  console.log(`Node ${process.version}, median of ${ROUNDS} rounds, wall time of the process\n`);
  console.log("| a hook | ms | / `node -e 0` | aim |\n| --- | --: | --: | --: |");
  for (const [index, [name, , , aim]] of CASES.entries()) {
    const ms = median(times[index] ?? []);
    console.log(`| ${name} | ${ms.toFixed(0)} | ${(ms / bare).toFixed(2)} | ${aim} |`);
  }
  const taken: number[] = [];
  for (let id = 0; id < REQUESTS; id += 1) {
    const begin = performance.now();
    await request(mixed(id));
    taken.push(performance.now() - begin);
  }
  const p99 = taken.toSorted((a, b) => a - b)[Math.floor(REQUESTS * 0.99)] ?? 0;
  console.log(
    `\nA request over the socket: p50 ${median(taken).toFixed(2)} ms (aim 1), p99 ${p99.toFixed(2)} ms`,
  );
  console.log(
    `The engine: ${first.toFixed(0)} MiB after its first calls, ${(await rss()).toFixed(0)} MiB after ${REQUESTS} mixed calls (aim 160)`,
  );
} finally {
  const status = await engineStatus(place);
  if (typeof status === "object") process.kill(status.pid, "SIGTERM");
}
