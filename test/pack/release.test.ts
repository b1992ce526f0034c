import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesAt, publishable, root } from "../contract/workspaces.ts";
import { startRegistry, type Registry } from "./registry.ts";

const run = promisify(execFile);
const clone = mkdtempSync(join(tmpdir(), "bylaw-release-"));
let registry: Registry;

/** Runs a command in the clone, with the registry as the only one that npm knows. */
async function inClone(command: string, ...args: readonly string[]): Promise<string> {
  const env = { ...registry.env, TURBO_CACHE_DIR: join(root, ".turbo/cache") };
  return (await run(command, args, { cwd: clone, env, maxBuffer: 2 ** 26 })).stdout;
}

beforeAll(async () => {
  registry = await startRegistry();
  await run("git", ["clone", "--quiet", root, clone]);
  for (const modules of ["node_modules", ...filesAt("{packages,plugins}/*/node_modules")]) {
    mkdirSync(dirname(join(clone, modules)), { recursive: true });
    symlinkSync(join(root, modules), join(clone, modules));
  }
});
afterAll(async () => {
  await registry.stop();
  rmSync(clone, { recursive: true, force: true });
});

it("a clean clone is published by one command, and installed by strangers", async () => {
  await inClone("npm", "run", "release");
  for (const { manifest } of publishable) {
    const about = await fetch(`${registry.url}${manifest.name.replace("/", "%2f")}`);
    const { versions = {} } = (await about.json()) as { readonly versions?: object };
    expect(Object.keys(versions), manifest.name).toEqual([manifest.version]);
  }
  const stranger = mkdtempSync(join(tmpdir(), "bylaw-stranger-"));
  writeFileSync(join(stranger, "package.json"), '{ "private": true }');
  await run("npm", ["install", "--no-audit", "--ignore-scripts", "@bylaw/cli"], {
    cwd: stranger,
    env: registry.env,
  });
  const command = join(stranger, "node_modules/@bylaw/cli/bin/bylaw.js");
  const { stdout } = await run(process.execPath, [command, "--version"]);
  const cli = publishable.find(({ manifest }) => manifest.name === "@bylaw/cli");
  expect(stdout.trim()).toBe(cli?.manifest.version);
  rmSync(stranger, { recursive: true });
});

it("the next release gives every package that has a changeset its version and its changelog", async () => {
  await inClone("npm", "run", "version");
  for (const { folder, manifest } of publishable) {
    const { version } = JSON.parse(
      readFileSync(join(clone, folder, "package.json"), "utf8"),
    ) as typeof manifest;
    expect(version, manifest.name).toBe("0.1.0");
    expect(readFileSync(join(clone, folder, "CHANGELOG.md"), "utf8")).toContain("## 0.1.0");
  }
});
