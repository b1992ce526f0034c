import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claudeCode } from "@bylaw/host-claude-code";
import { codex } from "@bylaw/host-codex";
import { engineStatus } from "@bylaw/engine";
import { enginePlace } from "@bylaw/hook-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN, json, type Ran } from "./bylaw.ts";
import { enginesIn, isAlive, signal } from "./engine-kit.ts";
import { deskOf, type Desk } from "./hosts-kit.ts";

const SETTINGS = ".claude/settings.json";
const desk = (): Desk => deskOf({}, SETTINGS, (project) => ({ CLAUDE_PROJECT_DIR: project }));
const outputOf = ({ code, ...texts }: Ran) => ({ ...texts, exit: code });
const blocks = (ran: Ran): boolean => claudeCode.blocks(outputOf(ran));
const line = (command: string, { project }: Desk): object => claudeCode.shellCall(command, project);

// The engine of a desk depends on the desk's home folder.
function engineOf({ home }: Desk): ReturnType<typeof engineStatus> {
  const before = process.env["HOME"];
  process.env["HOME"] = home;
  try {
    return engineStatus(enginePlace({ bin: BIN, folder: join(home, "run") }));
  } finally {
    process.env["HOME"] = before;
  }
}
async function pidOf(one: Desk): Promise<number> {
  const status = await engineOf(one);
  return typeof status === "object" ? status.pid : expect.fail(status ?? "No engine runs");
}

describe.each(["node", "curl", "none"])("bylaw install --client %s", (client) => {
  test("gives the same answers, and is uninstalled byte for byte", async () => {
    const one = desk();
    const before = '{\n   "model" : "x"\n}\n';
    one.write(SETTINGS, before);
    expect(await one.here("install", "claude-code", "--client", client)).toMatchObject({ code: 0 });
    for (const attempt of ["first", "second"]) {
      expect([attempt, blocks(one.event(line("git push --force", one)))]).toEqual([attempt, true]);
      expect(json(one.event(line("git status", one)))).toMatchObject({
        hookSpecificOutput: { permissionDecision: "allow" },
      });
      expect(one.event(line("frobnicate", one))).toEqual({ code: 0, stdout: "{}", stderr: "" });
      const bad = one.event("no event");
      expect([bad.code, bad.stdout]).toEqual([2, ""]);
      expect(bad.stderr).toMatch(/^Bylaw could not judge this: ./);
    }
    expect(
      json(await one.here("install", "claude-code", "--client", client, "--json")),
    ).toMatchObject({ state: "unchanged" });
    const told = await one.here("doctor", "claude-code");
    expect([told.code, /The engine .* runs as process/.test(told.stdout)]).toEqual([
      0,
      client !== "none",
    ]);
    await one.here("uninstall", "claude-code");
    expect(readFileSync(join(one.home, SETTINGS), "utf8")).toBe(before);
  });

  test("a change of the settings that leaves the hook in place is allowed, any other is not", async () => {
    const one = desk();
    await one.here("install", "claude-code", "--client", client);
    const file = join(one.home, SETTINGS);
    const change = { hook_event_name: "ConfigChange", file_path: file, cwd: one.project };
    expect(one.event(change).stdout).toBe("{}");
    const text = readFileSync(file, "utf8");
    const ask = one.command();
    writeFileSync(file, text.replaceAll("--engine", "--strict --engine"));
    expect(json(one.event(change, { command: ask }))).toMatchObject({ decision: "block" });
  });
});

/** What the command of a hook does without the file of this name. */
const without = (one: Desk, name: string): Ran => {
  const file = new RegExp(`'[^']*/${name}'`, "g");
  const command = one.command().replace(file, `'${join(one.home, "missing.js")}'`);
  expect(command).not.toBe(one.command());
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
    cwd: one.project,
    env: { HOME: one.home, PATH: process.env["PATH"] },
    input: JSON.stringify(line("git push --force", one)),
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
};
const SILENT = { code: 0, stdout: "{}", stderr: "" };

describe.each([
  ["node", "hook-client.cjs"],
  ["node", "bin.js"],
  ["curl", "hook-client.sh"],
  ["curl", "bin.js"],
  ["none", "bin.js"],
  ["none", "node"],
])("bylaw install --client %s without %s", (client, file) => {
  test("blocks calls, unless `--if-absent ask` leaves them to the agent", async () => {
    const one = desk();
    await one.here("install", "claude-code", "--client", client);
    expect(blocks(without(one, file))).toBe(true);
    await one.here("install", "claude-code", "--client", client, "--if-absent", "ask");
    expect(without(one, file)).toEqual(SILENT);
    // Where it can be asked, it decides as ever.
    expect(blocks(one.event(line("git push --force", one)))).toBe(true);
  });
});

describe.each(["node", "curl", "none"])("--client %s --if-absent ask", (client) => {
  test("blocks if Bylaw is there and fails, and doctor says what it does", async () => {
    const one = desk();
    one.write("config.json", '{ "fallback": "allow" }');
    const own = ["--client", client, "--config", join(one.home, "config.json")];
    await one.here("install", "claude-code", ...own, "--if-absent", "ask");
    one.write("bin.js", "process.exit(1);");
    const command = one.command().replaceAll(`'${BIN}'`, `'${join(one.home, "bin.js")}'`);
    expect(blocks(one.event(line("ls", one), { command }))).toBe(true);
    one.write("config.json", "{");
    expect(blocks(one.event(line("ls", one)))).toBe(true);
    expect(blocks(one.event("no event"))).toBe(true);
    expect((await one.here("doctor", "claude-code")).stdout).toContain("(`--if-absent ask`)");
  });

  test("is no change that a session may make, and is uninstalled byte for byte", async () => {
    const one = desk();
    const before = '{ "model": "x" }\n';
    one.write(SETTINGS, before);
    await one.here("install", "claude-code", "--client", client);
    const ask = one.command();
    const file = join(one.home, SETTINGS);
    const change = { hook_event_name: "ConfigChange", file_path: file, cwd: one.project };
    await one.here("install", "claude-code", "--client", client, "--if-absent", "ask");
    expect(one.event(change)).toEqual(SILENT);
    expect(json(one.event(change, { command: ask }))).toMatchObject({ decision: "block" });
    await one.here("uninstall", "claude-code");
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});

describe("the client of curl", () => {
  test("blocks if curl fails, and the next call has a new engine", async () => {
    const one = desk();
    await one.here("install", "claude-code", "--client", "curl");
    expect(one.event(line("git status", one)).code).toBe(0);
    const pid = await pidOf(one);
    signal(pid, "SIGKILL");
    await expect.poll(() => isAlive(pid)).toBe(false);
    const ran = one.event(line("git status", one));
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toBe("Bylaw could not judge this: the engine did not answer\n");
    await expect.poll(async () => typeof (await engineOf(one))).toBe("object");
    expect(json(one.event(line("git status", one)))).toHaveProperty("hookSpecificOutput");
  });

  test("blocks in JSON on Codex, and does not trust an engine with another key", async () => {
    const one = deskOf({}, ".codex/hooks.json", () => ({}));
    expect((await one.here("install", "codex", "--client", "curl")).code).toBe(0);
    const call = codex.shellCall("ls", one.project);
    expect(codex.blocks(outputOf(one.event(call)))).toBe(false);
    writeFileSync(join(one.home, "run/engine.key"), "another");
    const ran = one.event(call);
    expect([ran.code, codex.blocks(outputOf(ran))]).toEqual([0, true]);
  });

  test("ignores curl's settings files, and starts no other program of that name", async () => {
    const one = desk();
    await one.here("install", "claude-code", "--client", "curl");
    one.event(line("git status", one));
    one.write(".curlrc", 'proxy = "http://127.0.0.1:1"\noutput = "stolen"\n');
    one.write("project/curl", "#!/bin/sh\necho '{}'\n");
    const env = { PATH: `${one.project}:/usr/bin:/bin`, ALL_PROXY: "http://127.0.0.1:1" };
    expect(blocks(one.event(line("git push --force", one), { env }))).toBe(true);
    expect(json(one.event(line("git status", one), { env }))).toHaveProperty("hookSpecificOutput");
    expect(existsSync(join(one.project, "stolen"))).toBe(false);
  });

  test("falls back to Node for a folder that curl cannot name", async () => {
    const one = desk();
    await one.here("install", "claude-code", "--client", "curl");
    const folder = join(one.home, "a=b");
    onTestFinished(() => enginesIn(folder).forEach((pid) => signal(pid, "SIGKILL")));
    const command = one.command().replaceAll(join(one.home, "run"), folder);
    for (const attempt of ["first", "second"]) {
      const ran = one.event(line("git status", one), { command });
      expect([attempt, ran.code, ran.stderr]).toEqual([attempt, 0, ""]);
    }
  });

  test("is refused if a script cannot name the socket", async () => {
    const one = desk();
    const ran = await one.here("install", "claude-code", "--client", "curl", "--managed");
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(/cannot be given together/)]);
    rmSync(join(one.home, ".config"), { recursive: true, force: true });
  });
});

test("an agent that tries to escape cannot write to the engine's folder or end the engine by name", async () => {
  const one = desk();
  await one.here("install", "claude-code");
  for (const command of [
    "rm ~/.bylaw/run/x.sock",
    "echo x > ~/.bylaw/run/engine.key",
    "ln -sf /tmp/x ~/.bylaw/run",
    "pkill -f bylaw",
    "killall node",
  ])
    expect([command, blocks(one.event(line(command, one)))]).toEqual([command, true]);
});
