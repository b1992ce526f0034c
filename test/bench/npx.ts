// Times `npx @bylaw/cli --version` in a folder without the command, from a warm cache, beside what npx and Node take by themselves, and
// beside `npx` of a package that does nothing.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRegistry } from "../pack/registry.ts";
import { benchFolder, median } from "./bench-kit.ts";

const ROUNDS = 15;
const root = join(import.meta.dirname, "../..");
const folder = benchFolder();
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
  ["`npx @acme/empty`", "npx", ["--yes", "@acme/empty"]],
  ["`npx @bylaw/cli --version`", "npx", ["--yes", "@bylaw/cli", "--version"]],
];

/** Writes a package whose command ends at once. */
function emptyPackage(): string {
  const at = join(folder, "empty");
  mkdirSync(at);
  const manifest = { name: "@acme/empty", version: "1.0.0", bin: "./empty.js" };
  writeFileSync(join(at, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(at, "empty.js"), "#!/usr/bin/env node\n");
  return at;
}

try {
  run("npm", ["publish", "--workspace", "@bylaw/cli"], root);
  run("npm", ["publish", "--access", "public"], emptyPackage());
  // The first round downloads and installs.
  for (const [, command, args] of CASES) run(command, args);
  const times = CASES.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, [, command, args]] of CASES.entries())
      times[index]?.push(run(command, args));
  const medians = times.map(median);
  for (const [index, [name]] of CASES.entries())
    console.log(`${name.padEnd(28)}${(medians[index] ?? 0).toFixed(0).padStart(6)} ms`);
  const [empty = 0, command = 0] = medians.slice(-2);
  console.log(`${(command / empty).toFixed(2)} times a package that does nothing`);
} finally {
  await registry.stop();
}
