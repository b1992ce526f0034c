import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claudeCode } from "@bylaw/host-claude-code";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { json, type Ran } from "./bylaw.ts";
import { deskOf, type Desk } from "./hosts-kit.ts";

const SETTINGS = ".claude/settings.json";
const OPERATORS = ".config/bylaw/.bylaw/operators.json";
const desk = (files: Readonly<Record<string, string>> = {}, settings = SETTINGS): Desk =>
  deskOf(files, settings, (project) => ({ CLAUDE_PROJECT_DIR: project }));

/** The event that Claude Code 2.1.330 sends. */
const call = (tool_name: string, tool_input: object, cwd: string) => ({
  session_id: "0b9ef00b-52d4-4d52-a37e-a5b8f2d8e8a2",
  transcript_path: "/home/u/.claude/projects/p/0.jsonl",
  cwd,
  permission_mode: "bypassPermissions",
  hook_event_name: "PreToolUse",
  tool_name,
  tool_input,
  tool_use_id: "toolu_c1_0",
});
const line = (command: string, cwd: string) => call("Bash", { command, description: "x" }, cwd);
const blocks = ({ code, stdout, stderr }: Ran): boolean =>
  claudeCode.blocks({ stdout, stderr, exit: code });

describe("bylaw install claude-code", () => {
  test("a denied call stays out, an allowed one runs, and Claude Code decides the rest", async () => {
    const { here, event, project } = desk();
    expect(await here("install", "claude-code")).toMatchObject({ code: 0, stderr: "" });
    const denied = event(line("git push --force origin main", project));
    expect(denied).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(denied.stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringMatching(
          /^This can overwrite .*\(rule `no-force-push`\)$/,
        ),
      },
    });
    expect(json(event(line("git status", project)))).toMatchObject({
      hookSpecificOutput: { permissionDecision: "allow" },
    });
    expect(json(event(line("npm install left-pad", project)))).toMatchObject({
      hookSpecificOutput: { permissionDecision: "ask" },
    });
    expect(event(line("frobnicate", project))).toEqual({ code: 0, stdout: "{}", stderr: "" });
  });

  test("tells the agent of a denied call that ran, and of no other", async () => {
    const { here, event, project } = desk();
    await here("install", "claude-code", "--strict");
    const ran = (command: string): Ran =>
      event({ ...line(command, project), hook_event_name: "PostToolUse", tool_response: {} });
    expect(json(ran("git push --force origin main"))).toMatchObject({
      decision: "block",
      reason: expect.stringMatching(/^This call ran, but no rule allows it: .*`no-force-push`/),
    });
    // A person may have said yes to those that the rules ask about.
    for (const command of ["git status", "npm install left-pad", "frobnicate"])
      expect(ran(command)).toEqual({ code: 0, stdout: "{}", stderr: "" });
  });

  test("--strict asks about what no rule covers", async () => {
    const { here, event, project } = desk();
    await here("install", "claude-code", "--strict");
    expect(json(event(line("frobnicate", project)))).toMatchObject({
      hookSpecificOutput: { permissionDecision: "ask" },
    });
  });

  test("--project uses the project's configuration and its local settings", async () => {
    const { here, event, project } = desk(
      {
        "project/bylaw.config.json": '{ "fallback": "deny" }',
        "project/.claude/settings.json": '{ "model": "x" }',
      },
      "project/.claude/settings.local.json",
    );
    expect((await here("install", "claude-code", "--project")).code).toBe(0);
    expect(readFileSync(join(project, ".claude/settings.json"), "utf8")).toBe('{ "model": "x" }');
    expect(blocks(event(line("ls", project)))).toBe(true);
    expect((await here("uninstall", "claude-code", "--project")).code).toBe(0);
    expect(existsSync(join(project, ".claude/settings.local.json"))).toBe(false);
  });

  test("refuses a configuration that cannot decide, two scopes, unknown hosts, and a project without rules", async () => {
    const { here, home } = desk({ "project/bad.json": "{" });
    expect((await here("install", "claude-code", "--config", "bad.json")).code).toBe(2);
    expect((await here("install", "claude-code", "--user", "--project")).stderr).toMatch(
      /cannot be given together/,
    );
    expect((await here("install", "claude-cod")).stderr).toMatch(/Did you mean `claude-code`\?/);
    expect((await here("install", "claude-code", "--project")).stderr).toMatch(
      /BYLAW_CONFIG_MISSING/,
    );
    expect(existsSync(join(home, SETTINGS))).toBe(false);
  });

  test("restores settings with other hooks unchanged", async () => {
    const before =
      '{\n\t"hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "lint" }] }] }\n}\n';
    const { here, home } = desk({ [SETTINGS]: before });
    await here("install", "claude-code");
    const first = readFileSync(join(home, SETTINGS), "utf8");
    expect(json(await here("install", "claude-code", "--json"))).toMatchObject({
      state: "unchanged",
    });
    expect(readFileSync(join(home, SETTINGS), "utf8")).toBe(first);
    expect(readFileSync(join(home, `${SETTINGS}.bylaw-backup`), "utf8")).toBe(before);
    await here("uninstall", "claude-code");
    expect(readFileSync(join(home, SETTINGS), "utf8")).toBe(before);
  });
});

describe("bylaw doctor claude-code", () => {
  test("runs the installed command and finds no problem", async () => {
    const { here } = desk();
    await here("install", "claude-code");
    const ran = await here("doctor", "claude-code", "--json");
    expect(ran.code).toBe(0);
    expect(json(ran)).toMatchObject({ host: "claude-code", ok: true });
    expect((await here("doctor", "claude-code")).stdout).toMatch(
      /^Claude Code\nok {2}Installed in /,
    );
  });

  test("names who may answer, and who is told", async () => {
    const one = desk();
    await one.here("install", "claude-code");
    const token = (digit: string): string => `sha256:${digit.repeat(64)}`;
    const notify = { url: "https://ntfy.example/x" };
    const operators = [
      { name: "Ada", token: token("1") },
      { name: "Bo", token: token("2"), notify },
    ];
    write(join(one.home, OPERATORS), JSON.stringify({ operators }));
    const open = await one.here("doctor", "claude-code");
    expect([open.code, open.stdout]).toEqual([1, expect.stringContaining("Other users may read")]);
    chmodSync(join(one.home, OPERATORS), 0o600);
    const ran = await one.here("doctor", "claude-code");
    expect(ran.stdout).toContain("ok  Can answer questions: Ada, Bo. Notified: Bo\n");
    expect(ran.stdout).not.toContain("ntfy.example");
  });

  test.each([
    [
      "the file of operators is broken",
      ({ home }: Desk) => write(join(home, OPERATORS), "{"),
      /no {2}Nobody can answer a question: .*operators\.json/,
    ],
    ["nothing is installed", (_: Desk) => {}, /not installed/],
    [
      "a project file switches hooks off",
      ({ project }: Desk) =>
        write(join(project, ".claude/settings.json"), '{"disableAllHooks":true}'),
      /project\/\.claude\/settings\.json has `disableAllHooks: true`/,
    ],
    [
      "a project file loads code into every hook",
      ({ project }: Desk) =>
        write(join(project, ".claude/settings.local.json"), '{"env":{"BASH_ENV":"./x"}}'),
      /settings\.local\.json has `env\.BASH_ENV`/,
    ],
    [
      "the settings have a comment, for which Claude Code skips them",
      ({ home }: Desk) => {
        const file = join(home, SETTINGS);
        write(file, `// mine\n${readFileSync(file, "utf8")}`);
      },
      /does not read settings with comments/,
    ],
    [
      "the hook was changed",
      ({ home }: Desk) => {
        const file = join(home, SETTINGS);
        write(file, readFileSync(file, "utf8").replace('"matcher": "*"', '"matcher": "Nothing"'));
      },
      /hooks of Bylaw in .* were changed/,
    ],
    [
      "the program is gone",
      ({ home }: Desk) => {
        const file = join(home, SETTINGS);
        write(file, readFileSync(file, "utf8").replaceAll("/bin.js", "/gone.js"));
      },
      /does not answer/,
    ],
    [
      "the configuration is broken",
      ({ home }: Desk) => write(join(home, ".config/bylaw/bylaw.config.json"), "{"),
      /does not answer/,
    ],
    [
      "no rule guards the settings",
      ({ home }: Desk) => write(join(home, ".config/bylaw/bylaw.config.json"), "{}"),
      /No rule stops the agent from changing .*settings\.json/,
    ],
  ])("exits with 1 where %s", async (what, change, told) => {
    const one = desk();
    if (what !== "nothing is installed") await one.here("install", "claude-code");
    change(one);
    const ran = await one.here("doctor", "claude-code");
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout).toMatch(told);
  });
});

test("bylaw doctor alone examines each agent with the hook, and names files with hooks of others", async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "./change.sh" }] }] };
  const settings = { hooks, statusLine: { type: "command", command: "./line.sh" }, model: "x" };
  const one = desk({
    "project/.claude/settings.json": JSON.stringify(settings),
    // No part of the settings, so its mistakes switch nothing off.
    "project/.mcp.json": "{",
    ".claude/settings.json": JSON.stringify({ apiKeyHelper: "./own.sh" }),
  });
  expect(await one.here("doctor")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("not installed for any") as string,
  });
  await one.here("install", "claude-code");
  const ran = await one.here("doctor");
  expect([ran.code, ran.stdout]).toEqual([0, (await one.here("doctor", "claude-code")).stdout]);
  expect(ran.stdout.match(/Note: .* commands without asking/g)).toEqual([
    `Note: ${join(one.project, ".claude/settings.json")} has other hooks, \`statusLine\`. They run commands without asking`,
    `Note: ${join(one.project, ".mcp.json")} runs commands without asking`,
  ]);
  write(join(one.project, ".claude/settings.local.json"), '{"disableAllHooks":true}');
  expect((await one.here("install", "claude-code")).stdout).toContain(
    `It is not in force here: ${join(one.project, ".claude/settings.local.json")} has`,
  );
});

describe("an agent that tries to escape", () => {
  const installed = async (files: Readonly<Record<string, string>> = {}): Promise<Desk> => {
    const one = desk(files);
    expect((await one.here("install", "claude-code")).code).toBe(0);
    return one;
  };

  test("cannot write to the settings, the rules or the program, by a shell or a file tool", async () => {
    const { event, home, project } = await installed();
    for (const file of [
      join(home, SETTINGS),
      join(project, ".claude/settings.json"),
      join(project, ".claude/settings.local.json"),
      join(home, ".config/bylaw/bylaw.config.json"),
      "/etc/claude-code/managed-settings.json",
      join(home, "lib/node_modules/@bylaw/cli/dist/bin.js"),
      join(home, "lib/node_modules/@bylaw/cli/compiled/v24.21.0-x64/8377a151"),
    ]) {
      expect([file, blocks(event(line(`echo '{}' > ${file}`, project)))]).toEqual([file, true]);
      expect([
        file,
        blocks(event(call("Write", { file_path: file, content: "{}" }, project))),
      ]).toEqual([file, true]);
    }
  });

  test.each([
    ["switches all hooks off", ".claude/settings.json", '{"disableAllHooks":true}'],
    ["loads code into hooks", ".claude/settings.local.json", '{"env":{"NODE_OPTIONS":"-r ./x"}}'],
    ["breaks its settings", ".claude/settings.json", "{"],
  ])("and %s in the session has that change refused", async (_, file, text) => {
    const { event, project } = await installed();
    write(join(project, file), text);
    const change = {
      hook_event_name: "ConfigChange",
      source: "project_settings",
      session_id: "s",
      cwd: project,
    };
    expect(json(event({ ...change, file_path: join(project, file) }))).toMatchObject({
      decision: "block",
      reason: expect.stringContaining(join(project, file)),
    });
    rmSync(join(project, file));
    write(join(project, file), '{"model":"x"}');
    expect(event({ ...change, file_path: join(project, file) }).stdout).toBe("{}");
  });

  test("gains nothing from a configuration that it puts into the workspace", async () => {
    const { event, project } = await installed();
    write(join(project, "bylaw.config.json"), '{ "fallback": "allow", "approval_mode": "yolo" }');
    write(join(project, "sub/bylaw.config.js"), "export default {}; process.exit(0);");
    for (const cwd of [project, join(project, "sub")])
      expect(blocks(event(line("git push --force", cwd), { cwd }))).toBe(true);
  });

  test("gains nothing from a program of the same name, or from code that Node loads first", async () => {
    const { event, project } = await installed();
    for (const name of ["bylaw", "node"]) {
      write(join(project, "bin", name), "#!/bin/sh\necho '{}'\n");
      chmodSync(join(project, "bin", name), 0o755);
    }
    write(join(project, "first.cjs"), "console.log('{}'); process.exit(0);");
    // Node fails when it reads this file.
    write(join(project, "openssl.cnf"), "nodejs_conf = missing\n");
    const env = {
      PATH: `${join(project, "bin")}:/usr/bin:/bin`,
      NODE_OPTIONS: `--require ${join(project, "first.cjs")}`,
      NODE_PATH: project,
      OPENSSL_CONF: join(project, "openssl.cnf"),
      // Node runs compiled code that it finds here, and would write it here too.
      NODE_COMPILE_CACHE: join(project, "compiled"),
    };
    const ran = event(line("git push --force", project), { env });
    expect([ran.code, blocks(ran)]).toEqual([0, true]);
    expect(existsSync(env.NODE_COMPILE_CACHE)).toBe(false);
  });

  test("is blocked if its input cannot be judged", async () => {
    const { event, project } = await installed();
    const text = JSON.stringify(line("git status", project));
    const twice = text.replace("{", '{"tool_input":{"command":"git push --force"},');
    const large = text.replace('"x"', JSON.stringify("x".repeat(17 * 2 ** 20)));
    for (const input of ["", "no event", twice, large, text.slice(1), `${text}${text}`, "\0"]) {
      const ran = event(input);
      expect([ran.code, ran.stdout]).toEqual([2, ""]);
      expect(ran.stderr).toMatch(/^Bylaw could not judge this: ./);
    }
  });

  test("has a call of 15 MB judged by its content", async () => {
    const { event, project } = await installed();
    const filler = "x".repeat(15 * 2 ** 20);
    const ran = event(call("Bash", { command: "git push --force", description: filler }, project));
    expect(blocks(ran)).toBe(true);
  });
});

describe("a hook that cannot decide blocks, and never exits with 1", () => {
  test.each(readCases<[string, string?]>(import.meta, "with-configuration"))(
    "with a configuration that %s",
    async (_, text) => {
      const one = desk({ "rules/bylaw.config.mjs": "export default { fallback: 'deny' };" });
      await one.here(
        "install",
        "claude-code",
        "--config",
        join(one.home, "rules/bylaw.config.mjs"),
      );
      if (text === undefined) rmSync(join(one.home, "rules/bylaw.config.mjs"));
      else write(join(one.home, "rules/bylaw.config.mjs"), text);
      const ran = one.event(line("ls", one.project));
      expect([0, 2]).toContain(ran.code);
      expect(blocks(ran)).toBe(true);
    },
  );

  test("a stop is refused at most eight times in a row, and the run says that the gate gave up", async () => {
    const plugin = `import { defineCheck, definePlugin, deny } from "@bylaw/kernel";
      import { z } from "zod";
      const looksBack = definePlugin({ name: "looks-back", version: "1.0.0", options: z.strictObject({}).prefault({}),
        apply: (kernel) => kernel.projection({ name: "looks-back/nothing", version: 1, scope: "run", initial: null, reduce: (state) => state }) });
      export default { plugins: [
        looksBack(),
        defineCheck({ name: "tests", hook: "onEnforcement", check: () => deny("Run the tests.") }),
      ] };`;
    const one = desk({ "rules/bylaw.config.mjs": plugin });
    const stop = stopOf(one);
    const ran = await one.here(
      "install",
      "claude-code",
      "--config",
      join(one.home, "rules/bylaw.config.mjs"),
    );
    expect(ran.stderr).toBe("");
    const answers = Array.from({ length: 9 }, (_, index) => stop(index > 0).stdout);
    expect(answers.slice(0, 8).map((text) => JSON.parse(text))).toEqual(
      Array.from({ length: 8 }, () => ({ decision: "block", reason: "Run the tests." })),
    );
    expect(answers[8]).toBe("{}");
    const store = join(one.home, "rules/.bylaw/store.db");
    const told = one.bylaw("log", "query", "--store", store, "--run", "claude-code-s", "--json");
    expect(told.stdout).toContain('"event_type":"stop_gate_gave_up"');
  });

  test("what a configuration leaves running keeps no command", () => {
    const text = "setInterval(() => {}, 1_000); export default { fallback: 'deny' };";
    const one = desk({ "rules/bylaw.config.mjs": text });
    const config = join(one.home, "rules/bylaw.config.mjs");
    const installed = one.bylaw("install", "claude-code", "--client", "none", "--config", config);
    expect(installed.code).toBe(0);
    const ran = one.event(line("ls", one.project));
    expect([ran.code, blocks(ran)]).toEqual([0, true]);
    const checked = one.bylaw("check", "--config", config, "--json", "--", "ls");
    expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([1, { effect: "deny" }]);
  });

  test("rules that cannot be loaded refuse a stop as often, and no more", async () => {
    const one = desk({ "rules/bylaw.config.mjs": "export default { fallback: 'deny' };" });
    const config = join(one.home, "rules/bylaw.config.mjs");
    await one.here("install", "claude-code", "--config", config);
    write(config, "export default {");
    const stop = stopOf(one);
    const answers = Array.from({ length: 9 }, (_, index) => stop(index > 0).stdout);
    for (const text of answers.slice(0, 8))
      expect(JSON.parse(text)).toMatchObject({
        decision: "block",
        reason: expect.stringContaining("could not judge whether you are done"),
      });
    expect(answers[8]).toBe("{}");
  });
});

const stopOf = (one: Desk) => (again: boolean) =>
  one.event({
    hook_event_name: "Stop",
    session_id: "s",
    cwd: one.project,
    stop_hook_active: again,
  });

function write(file: string, text: string): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}
