import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishable, root, testWorkspace, workspaces } from "../contract/workspaces.ts";
import { startRegistry, type Registry } from "./registry.ts";

const run = promisify(execFile);
const clone = mkdtempSync(join(tmpdir(), "bylaw-release-"));
let registry: Registry | undefined;

function served(): Registry {
  if (registry === undefined) throw new Error("The registry does not run");
  return registry;
}

/** Runs a command in the clone, with the registry as the only one that npm knows. */
async function inClone(command: string, ...args: readonly string[]): Promise<string> {
  const env = { ...served().env, TURBO_CACHE_DIR: join(root, ".turbo/cache") };
  try {
    return (await run(command, args, { cwd: clone, env, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${[command, ...args].join(" ")} failed:\n${stdout}${stderr}`, {
      cause: error,
    });
  }
}

beforeAll(async () => {
  registry = await startRegistry();
  await run("git", ["clone", "--quiet", root, clone]);
  installLinks();
});
afterAll(async () => {
  await registry?.stop();
  rmSync(clone, { recursive: true, force: true });
});

/** Installs like `npm ci`: our packages from the clone, all others from this repository. */
function installLinks(): void {
  const link = (to: string, at: string): void => {
    mkdirSync(dirname(join(clone, at)), { recursive: true });
    symlinkSync(to, join(clone, at));
  };
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@bylaw" && name !== "create-bylaw")
      link(join(root, "node_modules", name), `node_modules/${name}`);
  for (const { folder, manifest } of [...workspaces, testWorkspace]) {
    link(join(clone, folder), `node_modules/${manifest.name}`);
    const own = join(root, folder, "node_modules");
    if (existsSync(own)) link(own, `${folder}/node_modules`);
  }
}

// It builds everything and starts npm once for each package.
const PUBLISHING_MS = 600_000;
const STRANGER_MS = 180_000;

const COMMAND = "node_modules/@bylaw/cli/bin/bylaw.js";
const CONFIG = ["--config", "bylaw.config.json"];
const PUSH = {
  ...{ hook_event_name: "PreToolUse", session_id: "s1", cwd: "/tmp" },
  ...{ tool_name: "Bash", tool_input: { command: "git push --force" } },
};
const RULES = ["--kind", "ruleset", "--name", "@acme/rules"];

it("a clean clone is published by one command", { timeout: PUBLISHING_MS }, async () => {
  await inClone("npm", "run", "release");
  for (const { manifest } of publishable) {
    const about = await fetch(`${served().url}${manifest.name.replace("/", "%2f")}`);
    const { versions = {} } = (await about.json()) as { readonly versions?: object };
    expect(Object.keys(versions), manifest.name).toEqual([manifest.version]);
  }
});

describe("a stranger", () => {
  const place = mkdtempSync(join(tmpdir(), "bylaw-stranger-"));
  const [rules, shop] = [join(place, "rules"), join(place, "shop")];
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const npm = (cwd: string, ...args: readonly string[]): Promise<{ readonly stdout: string }> =>
    run("npm", ["--no-audit", "--no-update-notifier", ...args], { cwd, env: served().env });
  const bylaw = (...args: readonly string[]) =>
    spawnSync(process.execPath, [COMMAND, ...args], {
      cwd: shop,
      encoding: "utf8",
      env: { ...process.env, HOME: place },
    });

  it("creates a ruleset, tests it and publishes it", { timeout: STRANGER_MS }, async () => {
    await npm(place, "create", "--yes", "bylaw@latest", "rules", "--", ...RULES);
    await npm(rules, "install");
    expect((await npm(rules, "test")).stdout).toContain("2 cases");
    await npm(rules, "publish", "--access", "public");
  });

  it(
    "creates a project that uses it, and a denied call is blocked",
    { timeout: STRANGER_MS },
    async () => {
      await npm(place, "create", "--yes", "bylaw@latest", "shop", "--", "--kind", "host");
      await npm(shop, "install");
      await npm(shop, "install", "@acme/rules");
      const file = join(shop, "bylaw.config.json");
      const config = JSON.parse(readFileSync(file, "utf8")) as {
        readonly extends: readonly string[];
      };
      writeFileSync(
        file,
        JSON.stringify({ ...config, extends: [...config.extends, "@acme/rules"] }),
      );
      const refund = ["--tool", "refund", "--args", '{"amount":20}'];
      const { status, stdout: decision, stderr } = bylaw("check", ...refund);
      expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
      expect(decision).toContain("no-refund-without-ticket");
      expect(bylaw("install", "claude-code", "--client", "none").stderr).toBe("");
      expect(bylaw("doctor", "claude-code").status).toBe(0);
      const hook = spawnSync(process.execPath, [COMMAND, "hook", "claude-code", ...CONFIG], {
        cwd: shop,
        input: JSON.stringify(PUSH),
        encoding: "utf8",
      });
      expect(hook.stdout).toContain('"permissionDecision":"deny"');
    },
  );
});

it("the next release gives every package with a changeset its version and its changelog", async () => {
  await inClone("npm", "run", "version");
  for (const { folder, manifest } of publishable) {
    const { version } = JSON.parse(
      readFileSync(join(clone, folder, "package.json"), "utf8"),
    ) as typeof manifest;
    expect(version, manifest.name).toBe("0.1.0");
    expect(readFileSync(join(clone, folder, "CHANGELOG.md"), "utf8")).toContain("## 0.1.0");
  }
});
