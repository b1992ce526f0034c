// Times `npx @bylaw/cli --version` in a folder without the command, from a warm cache, beside what npx and Node take by themselves.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRegistry } from "../pack/registry.ts";

const ROUNDS = 15;
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "bylaw-bench-"));
const registry = await startRegistry();

function run(command: string, args: readonly string[], cwd = folder): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(command, args, { cwd, env: registry.env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${String(status)}: ${stderr}`);
  return performance.now() - begin;
}

const CASES: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ["`node -e 0`", process.execPath, ["-e", "0"]],
  ["`npx --version`", "npx", ["--version"]],
  ["`npx -c true`", "npx", ["-c", "true"]],
  ["`npx @bylaw/cli --version`", "npx", ["--yes", "@bylaw/cli", "--version"]],
];

try {
  run("npm", ["publish", "--workspace", "@bylaw/cli"], root);
  // The first round downloads and installs.
  for (const [, command, args] of CASES) run(command, args);
  const times = CASES.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, [, command, args]] of CASES.entries())
      times[index]?.push(run(command, args));
  for (const [index, [name]] of CASES.entries()) {
    const sorted = times[index]?.toSorted((a, b) => a - b) ?? [];
    console.log(`${name.padEnd(28)}${(sorted[ROUNDS >> 1] ?? 0).toFixed(0).padStart(6)} ms`);
  }
} finally {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
}
