import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { engineStatus } from "@bylaw/engine";
import { PASSED_VARIABLES, enginePlace } from "@bylaw/hook-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN, bylaw, type Ran } from "./bylaw.ts";
import {
  codeConfig,
  engineDesk,
  enginesIn,
  isAlive,
  line,
  run,
  RULES,
  signal,
  type EngineDesk,
} from "./engine-kit.ts";

const effectOf = ({ stdout }: Ran): unknown =>
  JSON.parse(stdout).hookSpecificOutput?.permissionDecision;
const ask = async (desk: EngineDesk, command: string): Promise<unknown> =>
  effectOf(await desk.hook(line(command)));
const BLOCKED = { code: 2, stdout: "", stderr: expect.stringMatching(/^Bylaw could not judge/) };

describe("a hook that asks the engine", () => {
  test("gets the same answer as from a separate process, and one engine serves several configurations", async () => {
    const desk = engineDesk({ "other.json": '{ "fallback": "allow" }' });
    expect(await ask(desk, "rm x")).toBe("deny");
    const { pid } = await desk.status();
    for (const event of [line("ls"), line("rm x"), { hook_event_name: "Other" }, {}, "no event"]) {
      const input = typeof event === "string" ? event : JSON.stringify(event);
      const hook = ["hook", "claude-code", "--config", join(desk.root, "bylaw.config.json")];
      const cold = await run([BIN, ...hook], { cwd: desk.root, input, env: process.env });
      expect(await desk.hook(event)).toEqual(cold);
    }
    const other = await desk.hook(line("rm x"), { config: "other.json" });
    expect(other.stdout).toBe("{}");
    const status = await desk.status();
    expect(status.pid).toBe(pid);
    expect(status.configurations.map(({ config }) => config.split("/").at(-1))).toEqual([
      "bylaw.config.json",
      "other.json",
    ]);
  });

  test("starts exactly one engine when many ask at once", async () => {
    const desk = engineDesk();
    const answers = await Promise.all(["ls", "rm x", "ls", "rm x"].map((text) => ask(desk, text)));
    expect(answers).toEqual(["allow", "deny", "allow", "deny"]);
    await expect.poll(() => enginesIn(desk.folder).filter(isAlive).length).toBe(1);
    const { pid } = await desk.status();
    expect(enginesIn(desk.folder)).toContain(pid);
  });

  test("leaves no file that others may read, and no secret of the agent in the engine's environment", async () => {
    const desk = engineDesk();
    await desk.hook(line("ls"), { env: { SOME_API_KEY: "of the agent" } });
    const modes = [".", ...globSync("*", { cwd: desk.folder })].map(
      (name) => statSync(join(desk.folder, name)).mode & 0o777,
    );
    expect(modes.length).toBe(5);
    expect(modes.filter((mode) => (mode & 0o077) !== 0)).toEqual([]);
    const { pid } = await desk.status();
    const variables =
      process.platform === "linux" ? readFileSync(`/proc/${pid}/environ`, "utf8") : "";
    expect(variables).not.toContain("of the agent");
  });

  test("passes on every variable that an adapter reads", () => {
    const sources = globSync(join(import.meta.dirname, "../../packages/host-*/src/*.ts"));
    const read = sources.flatMap((file) =>
      Array.from(readFileSync(file, "utf8").matchAll(/\benv\["(\w+)"\]/g), ([, name]) => name),
    );
    expect(read.length).toBeGreaterThan(2);
    const passed: readonly (string | undefined)[] = PASSED_VARIABLES;
    expect(read.filter((name) => !passed.includes(name))).toEqual([]);
  });

  test("is refused if nobody can judge its input", async () => {
    const desk = engineDesk();
    for (const input of ["", "no event", '{"a":1,"a":2}', "\u0000", "x".repeat(50 * 2 ** 20)])
      expect(await desk.hook(input)).toEqual(BLOCKED);
    expect((await desk.hook(line("ls"), { host: "nobody" })).code).toBe(2);
    const codex = await desk.hook("no event", { host: "codex" });
    expect([codex.code, effectOf(codex)]).toEqual([0, "deny"]);
  });
});

describe("an engine that is gone or hangs", () => {
  test("in the middle of a call is replaced by a process that decides", async () => {
    const desk = engineDesk({
      "dies.mjs": codeConfig(
        'if (!isMainThread) process.kill(process.pid, "SIGKILL"); return deny("Alone.");',
      ),
    });
    const ran = await desk.hook(line("ls"), { config: "dies.mjs" });
    expect([effectOf(ran), ran.stdout]).toEqual(["deny", expect.stringContaining("Alone.")]);
    expect(readFileSync(desk.place.log, "utf8")).toMatch(/serves on/);
  });

  test("is replaced after it was killed and left its socket behind", async () => {
    const desk = engineDesk();
    await ask(desk, "ls");
    const { pid } = await desk.status();
    signal(pid, "SIGKILL");
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(existsSync(desk.place.socket)).toBe(true);
    expect(await ask(desk, "rm x")).toBe("deny");
    expect((await desk.status()).pid).not.toBe(pid);
  });

  test("is not waited for while it is stopped, and exits when it continues", async () => {
    const desk = engineDesk();
    await ask(desk, "ls");
    const { pid } = await desk.status();
    signal(pid, "SIGSTOP");
    expect(await ask(desk, "rm x")).toBe("deny");
    expect(await ask(desk, "ls")).toBe("allow");
    expect((await desk.status()).pid).not.toBe(pid);
    signal(pid, "SIGCONT");
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await ask(desk, "rm x")).toBe("deny");
    expect(existsSync(desk.place.socket)).toBe(true);
  });

  test("ends when its socket or its keys are removed, and another takes its place", async () => {
    const desk = engineDesk();
    for (const file of [desk.place.socket, desk.place.clientKey, desk.place.engineKey]) {
      expect(await ask(desk, "ls")).toBe("allow");
      const { pid } = await desk.status();
      rmSync(file);
      expect(await ask(desk, "rm x")).toBe("deny");
      await expect.poll(() => isAlive(pid)).toBe(false);
    }
  });

  test("exits when idle for long enough, or when told to, and leaves no socket", async () => {
    const desk = engineDesk();
    const serve = ["serve", "--local", "--engine", desk.folder];
    const ran = bylaw([...serve, "--idle", "1"], { cwd: desk.root });
    expect(ran).toMatchObject({ code: 0, stdout: "" });
    expect(ran.stderr).toMatch(/Engine ends/);
    expect(existsSync(desk.place.socket)).toBe(false);
    await ask(desk, "ls");
    expect(bylaw(serve, { cwd: desk.root })).toEqual({
      ...{ code: 0, stdout: "An engine is already running\n", stderr: "" },
    });
    const { pid } = await desk.status();
    signal(pid, "SIGTERM");
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(existsSync(desk.place.socket)).toBe(false);
  });
});

describe("a configuration", () => {
  test("that breaks keeps the last valid rules in force and says so; once repaired, it counts again", async () => {
    const desk = engineDesk();
    const rules = join(desk.root, "rules.toml");
    const broken = `${RULES}\nno rule`;
    expect(await ask(desk, "rm x")).toBe("deny");
    writeFileSync(rules, broken);
    const ran = await desk.hook(line("ls"));
    expect([ran.code, effectOf(ran)]).toEqual([0, "allow"]);
    expect(ran.stderr).toMatch(/cannot be loaded: rules\.toml.* previous rules stay in force/);
    expect((await desk.status()).configurations[0]?.fault).toMatch(/^rules\.toml/);
    expect(readFileSync(desk.place.log, "utf8")).toMatch(/cannot be loaded/);
    writeFileSync(rules, RULES.replace('"allow"', '"deny"'));
    expect(await desk.hook(line("ls"))).toMatchObject({ code: 0, stderr: "" });
    expect(await ask(desk, "ls")).toBe("deny");
    expect((await desk.status()).configurations[0]).not.toHaveProperty("fault");
  });

  test("that is broken from the start blocks", async () => {
    const desk = engineDesk({ "rules.toml": "no rule" });
    expect(await desk.hook(line("ls"))).toEqual(BLOCKED);
    const codex = await desk.hook(line("ls"), { host: "codex" });
    expect(effectOf(codex)).toBe("deny");
  });

  test("that is code is reloaded with everything that it imports", async () => {
    const desk = engineDesk({
      "code.mjs":
        'export { fallback } from "./part.mjs"; import config from "./part.mjs"; export default config;',
      "part.mjs": 'export const fallback = 1; export default { fallback: "deny" };',
    });
    const effect = async (): Promise<unknown> =>
      effectOf(await desk.hook(line("ls"), { config: "code.mjs" }));
    expect(await effect()).toBe("deny");
    writeFileSync(
      join(desk.root, "part.mjs"),
      'export const fallback = 1; export default { fallback: "allow" };',
    );
    expect(await effect()).toBe(undefined);
  });

  test("stays loaded when a file appears that a call named", async () => {
    const desk = engineDesk({ "all.json": '{ "extends": ["@bylaw/ruleset-recommended"] }' });
    const write = { tool_name: "Write", tool_input: { file_path: "new.txt", content: "x" } };
    const event = { ...line(""), cwd: desk.root, ...write };
    await desk.hook(event, { config: "all.json" });
    const { configurations } = await desk.status();
    writeFileSync(join(desk.root, "new.txt"), "x");
    await desk.hook(event, { config: "all.json" });
    expect((await desk.status()).configurations).toEqual(configurations);
  });

  test.each([
    ["ends the process", "process.exit(0); export default {};", /ended/],
    ["throws", "throw new Error('no');", /no/],
    ["never settles", "await new Promise(() => {}); export default {};", /longer than 10/],
    ["is not there", undefined, /not found/],
  ])("that %s blocks, and the others are still answered", async (_, text, told) => {
    const desk = engineDesk(text === undefined ? {} : { "bad.mjs": text });
    const ran = await desk.hook(line("ls"), { config: "bad.mjs" });
    expect(ran).toEqual({ ...BLOCKED, stderr: expect.stringMatching(told) });
    expect(await ask(desk, "ls")).toBe("allow");
  });

  test("that prints a decision itself is ignored", async () => {
    const text = `console.log("{}"); process.stdout.write("{}");
      export default { fallback: "deny" };`;
    const desk = engineDesk({ "loud.mjs": text });
    expect(effectOf(await desk.hook(line("ls"), { config: "loud.mjs" }))).toBe("deny");
  });

  test("that hangs blocks on every host before the host stops waiting", async () => {
    const desk = engineDesk({ "hang.mjs": codeConfig("for (;;);") });
    const asked = ["claude-code", "codex"].map((host) =>
      desk.hook(line("ls"), { host, config: "hang.mjs" }),
    );
    const [claude, codex] = await Promise.all(asked);
    expect(claude).toEqual(BLOCKED);
    expect([codex?.code, effectOf(codex ?? claude ?? expect.fail())]).toEqual([0, "deny"]);
    expect(await ask(desk, "ls")).toBe("allow");
  });
});

describe("a folder that not only the user can access", () => {
  const unsafe: readonly (readonly [string, (desk: EngineDesk) => void, boolean])[] = [
    ["open to others", ({ folder }) => chmodSync(folder, 0o755), true],
    [
      "a link",
      ({ root, folder }) => {
        rmSync(folder, { recursive: true });
        mkdirSync(join(root, "elsewhere"), { mode: 0o700 });
        symlinkSync(join(root, "elsewhere"), folder);
      },
      true,
    ],
    [
      "a file",
      ({ folder }) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, "");
      },
      true,
    ],
    ["another user's", ({ folder }) => chownSync(folder, 12_345, 12_345), process.getuid?.() === 0],
  ];
  test.each(unsafe.filter(([, , possible]) => possible))(
    "%s is not used, and a separate process decides",
    async (_, spoil) => {
      const desk = engineDesk();
      mkdirSync(desk.folder, { mode: 0o700 });
      spoil(desk);
      expect(await ask(desk, "rm x")).toBe("deny");
      expect(await ask(desk, "ls")).toBe("allow");
      expect(globSync(join(desk.folder, "*"))).toEqual([]);
      const ran = bylaw(["serve", "--local", "--engine", desk.folder], { cwd: desk.root });
      expect([ran.code, ran.stderr]).toEqual([
        2,
        expect.stringMatching(/BYLAW_ENGINE_UNSAFE|EEXIST/),
      ]);
    },
  );

  test("nobody believes a stranger on the socket", async () => {
    const desk = engineDesk();
    expect(await ask(desk, "ls")).toBe("allow");
    signal((await desk.status()).pid, "SIGTERM");
    await expect.poll(() => existsSync(desk.place.socket)).toBe(false);
    const body = JSON.stringify({ stdout: "{}", stderr: "", exit: 0 });
    const stranger = createServer((socket) => {
      socket.on("error", () => {});
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    stranger.listen(desk.place.socket);
    onTestFinished(() => void stranger.close());
    expect(await ask(desk, "rm x")).toBe("deny");
    expect(await engineStatus(desk.place)).toMatch(/is not this engine/);
  });
});

test("two installations have an engine each, and an engine exits when its program changed", async () => {
  const desk = engineDesk();
  const own = join(dirname(BIN), "..");
  const copy = join(desk.root, "copy");
  cpSync(join(own, "dist"), join(copy, "dist"), { recursive: true });
  const manifest = readFileSync(join(own, "package.json"), "utf8");
  writeFileSync(
    join(copy, "package.json"),
    manifest.replace(/"version": "[^"]*"/, '"version": "9.9.9"'),
  );
  symlinkSync(join(own, "../../node_modules"), join(desk.root, "node_modules"));
  const bin = join(copy, "dist/bin.js");
  expect(await ask(desk, "ls")).toBe("allow");
  expect(effectOf(await desk.hook(line("rm x"), { bin }))).toBe("deny");
  const other = await engineStatus(enginePlace({ bin, folder: desk.folder }));
  expect(other).toMatchObject({ version: "9.9.9" });
  const mine = await desk.status();
  expect(mine.version).not.toBe("9.9.9");
  const pid = typeof other === "object" ? other.pid : 0;
  expect(pid).not.toBe(mine.pid);
  utimesSync(bin, new Date(), new Date());
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(effectOf(await desk.hook(line("rm x"), { bin }))).toBe("deny");
});
