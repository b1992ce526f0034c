import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { canContain } from "@bylaw/process";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { installInto } from "./installed-kit.ts";

const CONTRACT = `
bylaw: 1
name: Anything
phases:
  - { id: WORK, name: Work, allowed_tools: [read_files, write_files, edit_files, bash, run_tests] }
transitions: []
enforcement: { mode: strict }
test_command: { argv: [node, probe.mjs], format: tap }
`;
const CONFIG = `
import { defineConfig } from "@bylaw/kernel";
import { artifacts } from "@bylaw/plugin-artifacts";
import { gates } from "@bylaw/plugin-gates";
import { phases } from "@bylaw/plugin-phases";
import { tasks } from "@bylaw/plugin-tasks";
import { tokens } from "@bylaw/plugin-tokens";
import { contract } from "./named.mjs";

const keys = [{ id: "x", file: "token.secret" }];
export default defineConfig({
  plugins: [phases({ contract }), artifacts({ contract }), gates({ contract }), tasks(), tokens({ contract, keys })],
});
`;
const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module", "dependencies": { "rules": "1.0.0" } }',
  "agent_workflow.yaml": CONTRACT,
  "bylaw.config.mjs": CONFIG,
  "named.mjs": 'export const contract = "agent_workflow.yaml";\n',
  "token.secret": "t".repeat(64),
};
const ENROL = "e".repeat(40);
/** The files in the server's folder that its next start runs. */
const CODE = readCases<string>(import.meta, "code");

let installed: string;
let folder: string;
let server: string;
const children = new Set<ChildProcess>();

beforeAll(() => {
  installed = temporaryFolder();
  installInto(installed);
});

/** Installs a separate server. */
function install(): void {
  folder = temporaryFolder();
  server = join(folder, "server");
  cpSync(installed, server, { recursive: true, verbatimSymlinks: true });
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(server, name), text, { mode: 0o600 });
}

async function remove(): Promise<void> {
  await Promise.all([...children].map(ended));
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

const ENV = { ...process.env, BYLAW_ENROL_SECRET: ENROL };
const command = (bin: string, args: readonly string[]): readonly string[] => [
  bin,
  "serve",
  "--port",
  "0",
  "--json",
  ...args,
];
const usualBin = (): string => join(server, "node_modules/.bin/bylaw");

/** Starts the installed server, and has an agent claim a task, which loads its tools. */
async function serving(
  ...args: readonly string[]
): Promise<(tool_name: string, args: object) => Promise<{ status: number; text: string }>> {
  const child = spawn(process.execPath, command(usualBin(), args), {
    cwd: server,
    env: ENV,
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The server ended with ${String(code)}`)));
    createInterface(child.stdout).once("line", (line) =>
      resolve((JSON.parse(line) as { readonly url: string }).url),
    );
  });
  const post = (path: string, authorization: string, body: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const claimed = (await (
    await post("/tasks/claim", `Bylaw-Enrol ${ENROL}`, { agent_id: "ann" })
  ).json()) as { readonly phase_token: string; readonly task: { readonly id: string } };
  return async (tool_name, args) => {
    const answer = await post("/tools/execute", `Bearer ${claimed.phase_token}`, {
      task_id: claimed.task.id,
      tool_name,
      args,
    });
    return { status: answer.status, text: await answer.text() };
  };
}

const textAt = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, "utf8") : undefined;

/** Has an agent write to files with every tool and with its own program, and expects that nothing has changed. */
async function attack(
  names: readonly string[],
  work: string,
  args: readonly string[],
): Promise<void> {
  const targets = names.map((name) => join(server, name));
  const before = targets.map(textAt);
  const ask = await serving(...args);
  // If this runs inside the server, it leaves a file next to it.
  const code = `import("node:fs").then(({ writeFileSync }) => writeFileSync(${JSON.stringify(join(work, "inside"))}, ""));`;
  const probe = `
    import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
    import { dirname } from "node:path";
    const tried = (work) => { try { work(); } catch {} };
    for (const file of ${JSON.stringify(targets)}) {
      tried(() => mkdirSync(dirname(file), { recursive: true }));
      tried(() => appendFileSync(file, ${JSON.stringify(code)}));
      tried(() => { linkSync(file, "linked"); appendFileSync("linked", ${JSON.stringify(code)}); });
      tried(() => { writeFileSync("other", ${JSON.stringify(code)}); renameSync("other", file); });
      tried(() => rmSync(file));
      tried(() => { renameSync(dirname(file), dirname(file) + "-2"); });
      tried(() => { symlinkSync(dirname(file), "link"); appendFileSync("link/" + file.split("/").at(-1), ${JSON.stringify(code)}); });
    }
    console.log("the end " + "of it");`;
  expect((await ask("write_files", { path: "probe.mjs", content: probe })).status).toBe(200);
  for (const target of targets) {
    for (const path of [target, relative(work, target)]) {
      expect(
        (await ask("write_files", { path, content: code, mode: "a" })).status,
        path,
      ).toBeGreaterThanOrEqual(400);
      expect((await ask("bash", { command: `echo '//' >> ${path}` })).text, path).not.toContain(
        '"exit_code":0',
      );
    }
  }
  if (canContain(work)) {
    expect((await ask("run_tests", {})).text).toContain("the end of it");
    expect((await ask("bash", { command: "node probe.mjs" })).text).toContain("the end of it");
  }
  expect(targets.map(textAt)).toEqual(before);
  await Promise.all([...children].map(ended));
  await serving(...args);
  expect(existsSync(join(work, "inside"))).toBe(false);
}

describe("an agent cannot write what its server runs", () => {
  beforeEach(install);
  afterEach(remove);

  it("next to the server's folder, where it cannot create a file of settings either", async () => {
    const work = join(folder, "work");
    await attack([...CODE, "bylaw.serve.json", "package.json"], work, [
      "--workspace",
      work,
      "--config",
      "bylaw.config.mjs",
    ]);
  });

  it("in the default folder of its work", async () => {
    await attack([...CODE, "bylaw.serve.json"], join(server, "work"), [
      "--config",
      "bylaw.config.mjs",
    ]);
  });
});

describe("a server that is installed where agents write does not start", () => {
  beforeAll(install);
  afterAll(remove);

  const refused = (args: readonly string[], { bin = usualBin(), cwd = server } = {}): string => {
    const { status, stdout } = spawnSync(process.execPath, command(bin, args), {
      cwd,
      env: ENV,
      encoding: "utf8",
      timeout: 60_000,
    });
    const { error } = JSON.parse(stdout) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    expect({ status, code: error.code }).toEqual({ status: 2, code: "BYLAW_SERVER_WRITABLE" });
    return error.message;
  };

  it.each(readCases<[string, string]>(import.meta, "workspaces"))(
    "because the workspace is %s",
    (_, workspace) => {
      expect(refused(["--workspace", join(folder, workspace)])).toContain(
        `the workspace \`${join(folder, workspace)}\``,
      );
    },
  );

  it("because the workspace is a link to the folder of the server", () => {
    symlinkSync(server, join(folder, "link"));
    refused(["--workspace", join(folder, "link")]);
  });

  it("because the program that starts it is a link in the workspace", () => {
    const work = join(folder, "starts");
    mkdirSync(work);
    symlinkSync(usualBin(), join(work, "bylaw"));
    expect(refused(["--workspace", work], { bin: join(work, "bylaw") })).toContain(
      join(work, "bylaw"),
    );
    // The path enters the workspace and leaves it again.
    symlinkSync(join(server, "node_modules"), join(work, "modules"));
    expect(refused(["--workspace", work], { bin: join(work, "modules/.bin/bylaw") })).toContain(
      join(work, "modules"),
    );
  });

  it("because it lies inside the folders of tasks", () => {
    const args = ["--settings", join(folder, "serve.json")];
    writeFileSync(
      join(folder, "serve.json"),
      JSON.stringify({ workspace: dirname(server), workspace_per_task: true }),
    );
    expect(refused(args)).toContain("the workspace");
  });

  // Must be the last test, because it changes the server.
  it("because a package is a link into the workspace, whether loaded yet or not", () => {
    const work = join(folder, "work");
    mkdirSync(join(work, "rules"), { recursive: true });
    writeFileSync(join(work, "rules/package.json"), '{ "name": "rules" }');
    symlinkSync(join(work, "rules"), join(server, "node_modules/rules"));
    expect(refused(["--workspace", work])).toContain(join(server, "node_modules/rules"));
    rmSync(join(server, "node_modules/rules"));
    const linked = join(server, "node_modules/better-sqlite3");
    cpSync(linked, join(work, "better-sqlite3"), { recursive: true });
    rmSync(linked, { recursive: true });
    symlinkSync(join(work, "better-sqlite3"), linked);
    expect(refused(["--workspace", work])).toContain(join(work, "better-sqlite3"));
  });
});
