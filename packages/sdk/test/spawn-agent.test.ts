import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { expect, it, onTestFinished } from "vitest";
import { NoTaskReady, RequestInvalid } from "../src/index.ts";
import { spawnAgent, type SpawnOptions } from "../src/node.ts";
import { CLAIM, ENROL, TOKEN, problem, rejection, serve } from "./kit.ts";

async function options(more: Partial<SpawnOptions> = {}): Promise<SpawnOptions> {
  const { endpoint } = await serve(() => ({ body: CLAIM }));
  return {
    endpoint,
    agent_id: "ann",
    enrol_secret: ENROL,
    cwd: temporaryFolder(),
    output: "ignore",
    ...more,
  };
}

const NOTE = `require("node:fs").writeFileSync("note.json", JSON.stringify({ env: process.env, argv: process.argv.slice(1) }))`;
const node = (script: string, ...args: string[]): [string, ...string[]] => [
  process.execPath,
  "-e",
  script,
  "--",
  ...args,
];

it("starts a program with its task, its token and its contract, and with no secret", async () => {
  process.env["BYLAW_TEST_LEAK"] = "leaked";
  process.env["BYLAW_OPERATOR_TOKEN"] = "leaked";
  onTestFinished(() => {
    delete process.env["BYLAW_TEST_LEAK"];
    delete process.env["BYLAW_OPERATOR_TOKEN"];
  });
  const given = await options({ contract: "/etc/contract.yaml", env: { MODE: "fast" } });
  const agent = await spawnAgent(node(NOTE, "; touch shell", "$(touch shell)", "*"), given);
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(agent.claim.task.id).toBe("t1");
  expect(agent.claim).not.toHaveProperty("phase_token");
  const { env, argv } = JSON.parse(readFileSync(join(given.cwd ?? "", "note.json"), "utf8")) as {
    env: Record<string, string>;
    argv: string[];
  };
  expect(env).toMatchObject({
    BYLAW_ENDPOINT: given.endpoint,
    BYLAW_AGENT_ID: "ann",
    BYLAW_TASK_ID: "t1",
    BYLAW_PHASE_TOKEN: TOKEN,
    BYLAW_CONTRACT: "/etc/contract.yaml",
    MODE: "fast",
    PATH: process.env["PATH"],
  });
  expect(JSON.stringify(env)).not.toMatch(/leaked|enrol-secret/);
  expect(argv).toEqual(["; touch shell", "$(touch shell)", "*"]);
  expect(existsSync(join(given.cwd ?? "", "shell"))).toBe(false);
});

it.each(readCases<string>(import.meta, "withheld-variables"))(
  "does not pass on %s",
  async (name) => {
    const given = await options({ env: { [name]: "x" } });
    expect(await rejection(spawnAgent(node(NOTE), given))).toBeInstanceOf(RequestInvalid);
  },
);

it("starts nothing without a task, and reports a missing program", async () => {
  const { endpoint } = await serve(() => problem(404, "task_none_ready"));
  const given = await options();
  expect(await rejection(spawnAgent(node(NOTE), { ...given, endpoint }))).toBeInstanceOf(
    NoTaskReady,
  );
  expect(existsSync(join(given.cwd ?? "", "note.json"))).toBe(false);
  const { endpoint: other, received } = await serve(() => ({ body: CLAIM }));
  const error = await rejection(spawnAgent(["no-such-program"], { ...given, endpoint: other }));
  expect(received.map(({ path }) => path)).toEqual([
    "/api/v1/tasks/claim",
    "/api/v1/tasks/release",
  ]);
  expect(error).toBeInstanceOf(RequestInvalid);
  expect(String(error)).toContain("`no-such-program`");
});

// It starts a child that outlives it unless the whole group ends, and prints a line when both run.
const PARENT = `const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); process.on('SIGTERM', () => {})"], { stdio: "ignore" });
require("node:fs").writeFileSync("child.pid", String(child.pid));
setInterval(() => {}, 1000);`;

it.skipIf(process.platform === "win32").each(["stop", "signal"])(
  "ends an agent with everything it has started, by %s",
  async (by) => {
    const stop = new AbortController();
    const given = await options({ signal: stop.signal });
    const agent = await spawnAgent(node(PARENT), given);
    const file = join(given.cwd ?? "", "child.pid");
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+$/);
    const child = Number(readFileSync(file, "utf8"));
    if (by === "signal") stop.abort();
    else await agent.stop();
    expect(await agent.ended).toEqual({ code: null, signal: "SIGTERM" });
    // A process whose parent does not wait for it stays in the table as a zombie.
    const running = (): boolean =>
      existsSync(`/proc/${child}/stat`) &&
      !/\) Z /.test(readFileSync(`/proc/${child}/stat`, "utf8"));
    await expect.poll(running).toBe(false);
  },
);

it("an agent in a shell script gets everything from the environment", async () => {
  const given = await options();
  writeFileSync(
    join(given.cwd ?? "", "agent.sh"),
    'printf %s "$BYLAW_AGENT_ID/$BYLAW_TASK_ID" > found\n',
  );
  const agent = await spawnAgent(["sh", "agent.sh"], given);
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(readFileSync(join(given.cwd ?? "", "found"), "utf8")).toBe("ann/t1");
});
