import { execFile, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "@bylaw/testing";
import semver from "semver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishable, root, testWorkspace, workspaces } from "../contract/workspaces.ts";
import { startRegistry, type Registry } from "./registry.ts";

const run = promisify(execFile);
const clone = temporaryFolder();
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

// It builds everything.
const PUBLISHING_MS = 600_000;
const STRANGER_MS = 400_000;

const PUSH = {
  ...{ hook_event_name: "PreToolUse", session_id: "s1" },
  ...{ tool_name: "Bash", tool_input: { command: "git push --force" } },
};

// The release starts npm twice for each package. So it publishes three that depend on each other, and one npm publishes the rest.
const RELEASED: ReadonlySet<string> = new Set(["@bylaw/kernel", "@bylaw/store", "@bylaw/wording"]);

it(
  "a clean clone is published by one command, and every package can be",
  { timeout: PUBLISHING_MS },
  async () => {
    const names = publishable.map(({ manifest }) => manifest.name);
    const others = names.filter((name) => !RELEASED.has(name));
    const config = join(clone, ".changeset/config.json");
    const text = readFileSync(config, "utf8");
    writeFileSync(config, JSON.stringify({ ...(JSON.parse(text) as object), ignore: others }));
    await inClone("npm", "run", "release");
    writeFileSync(config, text);
    const tags = (await inClone("git", "tag", "--points-at", "HEAD")).trim().split("\n");
    expect(tags.map((tag) => tag.replace(/@[\d.]+$/, "")).sort()).toEqual([...RELEASED]);
    await inClone("npm", "publish", ...others.flatMap((name) => ["--workspace", name]));
    for (const { manifest } of publishable) {
      const about = await fetch(`${served().url}${manifest.name.replace("/", "%2f")}`);
      const { versions = {} } = (await about.json()) as { readonly versions?: object };
      expect(Object.keys(versions), manifest.name).toEqual([manifest.version]);
    }
  },
);

describe("a stranger", () => {
  const place = temporaryFolder();
  const [rules, gate, shop] = ["rules", "gate", "shop"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];

  interface Ended {
    readonly status: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  // Nothing names the registry but the `.npmrc` of the folder where the stranger works.
  const env = { ...process.env, HOME: place, npm_config_update_notifier: "false" };
  async function sh(cwd: string, line: string): Promise<Ended> {
    const [command = "", ...args] = line.split(" ");
    try {
      return { status: 0, ...(await run(command, args, { cwd, env })) };
    } catch (error) {
      const { code: status, stdout, stderr } = error as Ended & { readonly code: number };
      return { status, stdout, stderr };
    }
  }
  const ok = async (cwd: string, line: string): Promise<string> => {
    const { status, stdout, stderr } = await sh(cwd, line);
    expect({ line, status, said: status === 0 ? "" : `${stdout}${stderr}` }).toEqual({
      ...{ line, status: 0, said: "" },
    });
    return stdout;
  };
  const create = async (folder: string, kind: string, ...more: readonly string[]) => {
    const line = ["npm create --yes bylaw@latest", folder, "-- --kind", kind, ...more].join(" ");
    await ok(place, line);
    useRegistry(join(place, folder));
    await ok(join(place, folder), "npm install --no-audit --no-fund");
  };
  const useRegistry = (folder: string): void =>
    cpSync(String(served().env["npm_config_userconfig"]), join(folder, ".npmrc"));
  const edit = (file: string, change: (text: string) => string): void => {
    const changed = change(readFileSync(file, "utf8"));
    expect(changed).not.toBe(readFileSync(file, "utf8"));
    writeFileSync(file, changed);
  };
  // What `npx bylaw` runs, without a start of npm for each command.
  const BYLAW = "node_modules/.bin/bylaw";
  const REFUND = `${BYLAW} check --tool refund --args`;

  it(
    "goes from an empty folder to rules that travel and a host that obeys them",
    { timeout: STRANGER_MS },
    async () => {
      useRegistry(place);
      await publishesRules();
      await testsGateCheck();
      await deniesByRules();
      await refusesLooserRules();
      await upgradesWithOpenEyes();
      await blocksCall();
    },
  );

  async function publishesRules(): Promise<void> {
    await create("rules", "ruleset", "--name", "@acme/rules");
    expect(await ok(rules, "npm test")).toContain("2 cases");
    expect(await ok(rules, "npx bylaw ruleset verify")).toContain("sha256:");
    await ok(rules, "npm publish --access public");
  }

  async function testsGateCheck(): Promise<void> {
    await create("gate", "check", "--name", "has-changelog");
    expect(await ok(gate, "npm test")).toContain("pass 3");
  }

  async function deniesByRules(): Promise<void> {
    await create("shop", "host");
    await ok(shop, "npm test");
    await ok(shop, "npm install --no-audit --no-fund @acme/rules");
    edit(join(shop, "bylaw.config.json"), (text) => {
      return text.replace('"@bylaw/ruleset-everyday"', '$&, "@acme/rules"');
    });
    const { status, stdout } = await sh(shop, `${REFUND} {"amount":20}`);
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringContaining("no-refund-without-ticket") as unknown,
    });
    await ok(shop, `${BYLAW} ruleset accept @acme/rules`);
  }

  async function refusesLooserRules(): Promise<void> {
    edit(join(rules, "policy.toml"), (text) =>
      text.replace(
        "{ ticket = { exists = false } }",
        "{ ticket = { exists = false }, amount = { min = 51 } }",
      ),
    );
    edit(join(rules, "cases.jsonl"), (text) => text.replace('"amount": 20}', '"amount": 90}'));
    await ok(rules, "npm version --no-git-tag-version patch");
    const refused = await sh(rules, `${BYLAW} ruleset verify --against @acme/rules@0.1.0`);
    expect(refused).toMatchObject({ status: 1, stderr: "" });
    expect(refused.stdout).toContain("less strict");
    await ok(rules, "npm version --no-git-tag-version 1.0.0");
    await ok(rules, `${BYLAW} ruleset verify --against @acme/rules@0.1.0`);
    await ok(rules, "npm publish --access public");
  }

  async function upgradesWithOpenEyes(): Promise<void> {
    const changed = await sh(shop, `${BYLAW} ruleset diff @acme/rules @acme/rules@1.0.0`);
    expect(changed).toMatchObject({ status: 1, stderr: "" });
    expect(changed.stdout).toContain("deny → ask_user");
    expect(changed.stdout).toContain("@acme/rules 0.1.0 → 1.0.0");
    await ok(shop, "npm install --no-audit --no-fund @acme/rules@1.0.0");
    const unread = await sh(shop, `${REFUND} {"amount":20}`);
    expect(unread.status).toBe(2);
    expect(unread.stderr).toContain("BYLAW_RULESET_UNACCEPTED");
    expect(await sh(shop, `${BYLAW} ruleset accept @acme/rules`)).toMatchObject({ status: 1 });
    await ok(shop, `${BYLAW} ruleset accept @acme/rules --looser`);
    expect(await sh(shop, `${REFUND} {"amount":20}`)).toMatchObject({ status: 3 });
    expect(await sh(shop, `${REFUND} {"amount":90}`)).toMatchObject({ status: 1 });
  }

  async function blocksCall(): Promise<void> {
    await ok(shop, "npx bylaw install claude-code --client none --config bylaw.config.json");
    await ok(shop, `${BYLAW} doctor claude-code`);
    const { hooks } = JSON.parse(readFileSync(join(place, ".claude/settings.json"), "utf8")) as {
      readonly hooks: Readonly<
        Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>
      >;
    };
    const [entry] = hooks["PreToolUse"] ?? [];
    const hook = spawnSync("sh", ["-c", entry?.hooks[0]?.command ?? "false"], {
      ...{ cwd: shop, env, encoding: "utf8" },
      input: JSON.stringify({ ...PUSH, cwd: shop }),
    });
    expect(hook.stdout).toContain('"permissionDecision":"deny"');
  }
});

it("the next release gives every package with a changeset its version and its changelog", async () => {
  await inClone("npm", "run", "version");
  for (const { folder, manifest } of publishable) {
    const { version } = JSON.parse(
      readFileSync(join(clone, folder, "package.json"), "utf8"),
    ) as typeof manifest;
    expect(version, manifest.name).toBe("0.1.0");
    expect(readFileSync(join(clone, folder, "CHANGELOG.md"), "utf8")).toContain("## 0.1.0");
    const readme = readFileSync(join(clone, folder, "README.md"), "utf8");
    for (const [range] of readme.matchAll(/\^0\.\d+\.\d+/g))
      expect(semver.satisfies(version, range), `${manifest.name} says ${range}`).toBe(true);
  }
});
