import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createConfiguredKernel } from "@bylaw/config";
import type { LogEvent, ToolCall } from "@bylaw/kernel";
import { formatEventLine, openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { OperatorClient } from "@bylaw/sdk";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { root } from "../contract/workspaces.ts";
import { OPERATORS, TOKENS } from "./approve-kit.ts";
import { bylaw, bylawHere, jsonLines, scratch, workplace } from "./bylaw.ts";
import { ENROL, OPERATOR, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

const POLICY = `
default = "allow"
[[marks]]
name = "secret"
paths = { read = ["**/.env"] }
[[marks]]
name = "deleted"
effects = ["deletes"]
[[rules]]
name = "no-network"
action = "deny"
effects = ["network"]
after = "secret"
[[rules]]
name = "few"
action = "deny"
effects = ["deletes"]
after = { mark = "deleted", times = 3 }
`;
const CONTRACT = `
bylaw: 1
name: One phase
phases: [{ id: WORK, name: Work, allowed_tools: [read_files, write_files] }]
transitions: []
enforcement: { mode: strict }
`;
const SERVED = `
[[marks]]
name = "wrote"
tool = "write_files"
[[rules]]
name = "once"
action = "deny"
tool = "write_files"
after = "wrote"
`;
const AGENTS = 4;
const ROUNDS = 12;
const line = (command: string, more: Partial<ToolCall> = {}): ToolCall => ({
  ...{ hook: "beforeToolCall", tool: "bash", args: { command } },
  ...{ cwd: "/w", workspace: "/w", home: "/h", ...more },
});

// One agent process: in each run it deletes, reads a secret, and reaches the network, all as fast as it can.
const AGENT = `
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { openSqliteStore } from "@bylaw/store-sqlite";

const [file, agent, text] = process.argv.slice(2);
const store = await openSqliteStore(file);
const kernel = createKernel({ plugins: [policy({ text })] });
for (let round = 0; round < ${ROUNDS}; round += 1) {
  const run = await openRun(kernel, { run: "r" + round, store, join: true });
  const call = (command) =>
    run.toolCall({ tool: "bash", agent, args: { command }, cwd: "/w", workspace: "/w", home: "/h" });
  const network = () => call("curl https://example.com");
  const read = agent === "a" + (round % ${AGENTS}) ? [call("cat .env")] : [];
  await Promise.all([network(), call("rm x"), ...read, network(), call("rm y"), network()]);
  await network();
  await run.close();
}
await store.close();
`;

const folder = mkdtempSync(join(root, "node_modules", ".bylaw-marks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let problem = "";
  child.stderr.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(problem))));
  });
}

const commandOf = ({ details: { args } }: LogEvent): string =>
  (args as { readonly command: string }).command;

it("agents of several processes on one SQLite file never pass a mark that another process has just set", async () => {
  const file = join(scratch(), "store.db");
  const program = join(folder, "agent.mjs");
  writeFileSync(program, AGENT);
  await (await openSqliteStore(file)).close();
  const agents = Array.from({ length: AGENTS }, (_, at) =>
    start(program, [file, `a${at}`, POLICY]),
  );
  await Promise.all(agents);
  const store = await openSqliteStore(file);
  for (let round = 0; round < ROUNDS; round += 1) {
    const events = await store.events(`r${round}`, 0, 1_000);
    const allowed = events.filter(({ event_type }) => event_type === "tool_allowed").map(commandOf);
    expect(allowed.filter((command) => command.startsWith("rm"))).toHaveLength(3);
    const secret = allowed.indexOf("cat .env");
    expect(secret).toBeGreaterThanOrEqual(0);
    expect(allowed.slice(secret).filter((command) => command.startsWith("curl"))).toEqual([]);
    expect(events.filter(({ event_type }) => event_type === "tool_denied").length).toBeGreaterThan(
      5,
    );
  }
  await store.close();
}, 120_000);

describe("the command", () => {
  const project = async () => {
    const cwd = scratch({
      "bylaw.config.json":
        '{ "plugins": [{ "use": "@bylaw/plugin-policy", "options": { "operator": true } }] }',
      ".bylaw/policy.toml": POLICY,
      ".bylaw/operators.json": OPERATORS,
    });
    const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
    const { kernel } = await createConfiguredKernel({
      ...{ file: join(cwd, "bylaw.config.json") },
      bundled: { "@bylaw/plugin-policy": import.meta.resolve("@bylaw/plugin-policy") },
    });
    return { cwd, store, run: await openRun(kernel, { run: "main", store }) };
  };

  it("clears a mark for an operator only", async () => {
    const { cwd, run, store } = await project();
    await run.toolCall(line("cat .env", { agent: "a1" }));
    const clear = (mark: string, token?: string) =>
      bylawHere(["approve", "clear", mark, "--run", "main"], {
        cwd,
        env: token === undefined ? {} : { BYLAW_OPERATOR_TOKEN: token },
      });
    expect(await clear("secret")).toMatchObject({ code: 1 });
    expect(await clear("secret", "a token of nobody, which is long enough")).toMatchObject({
      code: 1,
    });
    expect((await clear("secrets", TOKENS.ada)).stderr).toContain("Did you mean `secret`?");
    const curl = line("curl https://example.com");
    expect((await run.toolCall(curl)).applied).toBe("deny");
    const cleared = await clear("secret", TOKENS.ada);
    expect(cleared.stdout).toBe("cleared secret by ada (event 4)\n");
    await run.catchUp();
    expect((await run.toolCall(curl)).applied).toBe("allow");
    await run.close();
    await store.close();
  });

  it("clears a mark on a server for an operator only", async () => {
    const site = makeSite(["t"], CONTRACT);
    onTestFinished(endServers);
    writeFileSync(site.path("policy.toml"), SERVED);
    const server = await startServer(site, { policy: [site.path("policy.toml")] });
    const operator = new OperatorClient({ endpoint: server.url, operator_token: OPERATOR });
    await operator.createTasks([{ id: "t" }, { id: "u" }]);
    const ann = server.client("ann");
    await ann.claimTask();
    await ann.writeFile("first.txt", "1");
    const second = (): Promise<unknown> =>
      ann.writeFile("second.txt", "2").catch(({ name }: Error) => name);
    expect(await second()).toBe("ToolForbidden");
    const clear = (mark: string, token: string, ...more: readonly string[]) =>
      bylaw(["approve", "clear", mark, "--url", server.url, ...more], {
        cwd: site.folder,
        env: { BYLAW_OPERATOR_TOKEN: token },
      });
    const claimed = await fetch(`${server.url}/api/v1/tasks/claim`, {
      method: "POST",
      headers: { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" },
      body: '{"agent_id":"eve"}',
    });
    const { phase_token } = (await claimed.json()) as { readonly phase_token: string };
    for (const unknown of ["a token of nobody, which is long enough", ENROL, phase_token])
      expect(clear("wrote", unknown)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error BYLAW_APPROVAL_UNAUTHORIZED: .*no operator/),
      });
    expect(clear("wrotte", OPERATOR).stderr).toContain("Did you mean `wrote`?");
    expect(clear("wrote", OPERATOR, "--by", "ada")).toMatchObject({ code: 2 });
    const enrolled = await fetch(`${server.url}/api/v1/marks/clear`, {
      method: "POST",
      headers: { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" },
      body: '{"mark":"wrote"}',
    });
    expect(enrolled.status).toBe(403);
    expect(await second()).toBe("ToolForbidden");
    expect(clear("wrote", OPERATOR)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^cleared wrote by operator \(event \d+\)\n$/),
    });
    expect(await second()).toMatchObject({ status: "success" });
    // A request that is sent twice under one id clears once: marks that were set since then stay.
    const once = { request_id: "clear-1" };
    await operator.clearMark("wrote", once);
    await ann.writeFile("third.txt", "3");
    await operator.clearMark("wrote", once);
    expect(await second()).toBe("ToolForbidden");
  });

  it("replays an old log with the marks that it implies", async () => {
    const { cwd, run, store } = await project();
    await run.toolCall(line("cat keys.txt"));
    await run.toolCall(line("curl https://example.com"));
    const events = await store.events("main", 0, 100);
    writeFileSync(
      join(cwd, "log.jsonl"),
      events.map((event) => `${formatEventLine(event)}\n`).join(""),
    );
    writeFileSync(join(cwd, "new.toml"), POLICY.replace("**/.env", "**/keys.txt"));
    const ran = await bylawHere(["replay", "log.jsonl", "--policy", "new.toml", "--json"], { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran)[0]).toMatchObject({
      flip: { sequence: 3, candidate: { effect: "deny", rule: { name: "no-network" } } },
    });
    await run.close();
    await store.close();
  });

  it("tests cases with a history", async () => {
    const { run } = workplace({
      "p.toml": POLICY,
      "c.jsonl": [
        {
          id: "1",
          history: [{ tool: "bash", args: { command: "cat .env" }, ago: "2h" }],
          must: "deny",
          rule: "no-network",
        },
        {
          id: "2",
          history: [{ tool: "bash", args: { command: "cat .env" }, outcome: "denied" }],
          must: "allow",
        },
        { id: "3", history: [], must: "allow" },
      ]
        .map(
          (one) =>
            `${JSON.stringify({ tool: "bash", args: { command: "curl https://x.example" }, ...one })}\n`,
        )
        .join(""),
      "bad.jsonl": `${JSON.stringify({ tool: "t", args: {}, must: "deny", history: [{ tool: "t", args: {}, outcome: "good" }] })}\n`,
    });
    expect(await run(["test", "p.toml", "c.jsonl"])).toMatchObject({ code: 0 });
    expect((await run(["test", "p.toml", "bad.jsonl"])).stderr).toContain(
      "Call 1 of `history`: `outcome` must be one of passed, failed, running, asked, denied",
    );
  });
});
