import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { OperatorClient } from "@bylaw/sdk";
import { spawnAgent } from "@bylaw/sdk/node";
import { openSqliteReader } from "@bylaw/store-sqlite";
import { bylaw, json, jsonLines, scratch, start } from "./bylaw.ts";
import {
  ENROL,
  OPERATOR,
  createOperator,
  endServers,
  makeSite,
  startServer,
} from "./orchestrator-kit.ts";
import { eventsOf } from "./orchestrator-walk.ts";

const site = makeSite(["adder-1"]);
afterAll(endServers);

// The security reviewer fails at first. Each reviewer prints what it was given.
const REVIEWER = `
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { json } from "node:stream/consumers";
const { directive, task } = await json(process.stdin);
const { BYLAW_MODEL, BYLAW_AGENT_ID, BYLAW_TASK_ID } = process.env;
const secrets = Object.values(process.env).filter((value) => value.includes("operator"));
appendFileSync("started.jsonl", JSON.stringify({ BYLAW_MODEL, BYLAW_AGENT_ID, BYLAW_TASK_ID, model: directive.model, phase: task.phase, secrets }) + "\\n");
if (BYLAW_MODEL === "security" && !existsSync("broken")) {
  writeFileSync("broken", "");
  process.exit(7);
}
console.log("I looked at it.");
console.log(JSON.stringify({ verdict: "approved", summary: "fine" }));
`;
const role = (more: object = {}) => ({ command: [process.execPath, "review.mjs"], ...more });
const agentsFile = (agents: object, more: object = {}): string =>
  JSON.stringify({ agents, ...more });

it("the reviewers of a contract are started and restarted, and their verdicts complete the task", async () => {
  const server = await startServer(site, {}, [{ id: "adder-1" }]);
  const { operator } = server;
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const attending = operator.attend(stop.signal, { directives: false });
  const cwd = scratch({
    "review.mjs": REVIEWER,
    "agents.json": agentsFile({ review: role() }, { max_parallel: 2 }),
  });
  process.env["BYLAW_OPERATOR_TOKEN"] = OPERATOR;
  onTestFinished(() => void delete process.env["BYLAW_OPERATOR_TOKEN"]);
  const supervisor = start(["agents", "agents.json", "--url", server.url, "--json"], cwd);
  delete process.env["BYLAW_OPERATOR_TOKEN"];
  let said = "";
  supervisor.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const worker = await spawnAgent(
    [process.execPath, join(import.meta.dirname, "children/agent.ts")],
    { endpoint: server.url, agent_id: "ann", enrol_secret: ENROL, task_id: "adder-1" },
  );
  onTestFinished(async () => void (await worker.stop({ grace_ms: 0 })));
  expect(await worker.ended).toEqual({ code: 0, signal: null });
  stop.abort();
  await attending;
  const ended = new Promise((resolve) => supervisor.once("exit", resolve));
  supervisor.kill("SIGTERM");
  expect(await ended).toBe(0);
  const outcomes = said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly agent: string; readonly reported: boolean });
  expect(outcomes.filter(({ reported }) => !reported)).toMatchObject([
    { agent: "review-security", reason: "It ended with exit code 7" },
  ]);
  const events = await eventsOf(await openSqliteReader(site.path("data", "store.db")));
  const done = events.filter(
    ({ event_type, agent_id }) => event_type === "directive_completed" && agent_id !== null,
  );
  const reviewers = ["security", "quality", "consistency", "holistic", "vibe_coding"];
  expect(new Set(done.map(({ details }) => details["agent"]))).toEqual(
    new Set(reviewers.map((model) => `review-${model}`)),
  );
  expect(done).toHaveLength(reviewers.length);
  const started = readFileSync(join(cwd, "started.jsonl"), "utf8").trim().split("\n");
  expect(started).toHaveLength(reviewers.length + 1);
  for (const line of started) {
    const one = JSON.parse(line) as Record<string, unknown>;
    expect(one).toMatchObject({ BYLAW_TASK_ID: "adder-1", phase: "REVIEW", secrets: [] });
    expect(one).toMatchObject({ BYLAW_AGENT_ID: `review-${String(one["model"])}` });
  }
  await server.stop();
});

describe("two supervisors on one server", () => {
  // Says that it began, then runs until it is told to end.
  const WAITS = `
import { appendFileSync, existsSync, watch } from "node:fs";
appendFileSync("started.txt", process.env.BYLAW_DIRECTIVE + "\\n");
const done = () => existsSync("go") && process.exit(0);
watch(".", done);
done();
`;
  const waiting = { command: [process.execPath, "wait.mjs"] };

  async function called(
    data: string,
  ): Promise<{
    readonly client: OperatorClient;
    readonly cwd: string;
    readonly started: () => readonly string[];
    readonly supervise: () => ReturnType<typeof start>;
  }> {
    const server = await startServer(site, {
      data: site.path(data),
      behaviors: { agents: ["one", "two", "three"] },
    });
    onTestFinished(async () => void (await server.stop()));
    const client = new OperatorClient({ endpoint: server.url, operator_token: OPERATOR });
    await client.createTasks([{ id: "adder-1" }]);
    const ann = server.client("ann");
    await ann.claimTask({ task_id: "adder-1" });
    for (const triggerAgentId of ["one", "two", "three"])
      await ann.behave({ action: "trigger", triggerAgentId, reason: "help" });
    const agents = { one: waiting, two: waiting, three: waiting };
    const cwd = scratch({
      "wait.mjs": WAITS,
      "agents.json": agentsFile(agents, { max_parallel: 3, lease_seconds: 3 }),
    });
    const started = (): readonly string[] =>
      existsSync(join(cwd, "started.txt"))
        ? readFileSync(join(cwd, "started.txt"), "utf8").trim().split("\n")
        : [];
    const supervise = () => {
      process.env["BYLAW_OPERATOR_TOKEN"] = OPERATOR;
      const child = start(["agents", "agents.json", "--url", server.url, "--json"], cwd);
      delete process.env["BYLAW_OPERATOR_TOKEN"];
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    };
    return { client, cwd, started, supervise };
  }

  it("never start an agent twice, even if it runs for many times its lease", async () => {
    const { client, cwd, started, supervise } = await called("shared");
    const outcomes: string[] = [];
    for (const child of [supervise(), supervise()])
      child.stdout?.on("data", (chunk: Buffer) => outcomes.push(chunk.toString()));
    await expect.poll(() => started().length, { timeout: 30_000 }).toBe(3);
    // Meanwhile both ask for the directives many times and renew the leases.
    const [first = ""] = (await client.directives()).map(({ directive }) => directive);
    for (let round = 0; round < 24; round += 1) {
      await expect(
        client.leaseDirective(first, { holder: "somebody else", lease_ms: 1_000 }),
      ).rejects.toFailWith("BYLAW_DIRECTIVE_TAKEN");
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    writeFileSync(join(cwd, "go"), "");
    await expect.poll(async () => (await client.directives()).length, { timeout: 30_000 }).toBe(0);
    expect(new Set(started()).size).toBe(3);
    expect(started()).toHaveLength(3);
    expect(outcomes.join("")).not.toContain('"reported":false');
  });

  it("take over from each other when one is killed", async () => {
    const { client, cwd, started, supervise } = await called("killed");
    const first = supervise();
    await expect.poll(() => started().length, { timeout: 30_000 }).toBe(3);
    first.kill("SIGKILL");
    supervise();
    await expect.poll(() => started().length, { timeout: 30_000 }).toBe(6);
    writeFileSync(join(cwd, "go"), "");
    await expect.poll(async () => (await client.directives()).length, { timeout: 30_000 }).toBe(0);
    expect(started()).toHaveLength(6);
  });
});

it("with --once an agent that another one called is run, and one that always fails is left to a person", async () => {
  const server = await startServer(site, {
    data: site.path("called"),
    behaviors: { agents: ["helper", "broken"] },
  });
  const operator = createOperator(() => server.url);
  await operator.insist("POST", "/tasks", { tasks: [{ id: "adder-1" }] });
  const ann = server.client("ann");
  await ann.claimTask({ task_id: "adder-1" });
  const client = new OperatorClient({ endpoint: server.url, operator_token: OPERATOR });
  const fail = 'fs.appendFileSync("tries.txt", "1"); process.exit(1)';
  const fails = { command: [process.execPath, "-e", fail], attempts: 2 };
  const helper = { command: [process.execPath, "-e", ""] };
  const agents = agentsFile({ helper, broken: fails }, { lease_seconds: 1 });
  const cwd = scratch({ "agents.json": agents });
  const call = async (triggerAgentId: string) => {
    await ann.behave({ action: "trigger", triggerAgentId, reason: "help" });
    const ran = bylaw(["agents", "agents.json", "--url", server.url, "--once", "--json"], {
      cwd,
      env: { BYLAW_OPERATOR_TOKEN: OPERATOR },
    });
    const open = (await client.directives()).map(({ agent }) => agent);
    const reported = jsonLines(ran).map((line) => line["reported"]);
    return { code: ran.code, reported, open };
  };
  expect(await call("helper")).toEqual({ code: 0, reported: [true], open: [] });
  expect(await call("broken")).toEqual({ code: 1, reported: [false, false], open: ["broken"] });
  // The server counts attempts: another supervisor has none left, once the lease is over.
  const [{ directive } = { directive: "" }] = await client.directives();
  const other = { holder: "other", max_attempts: 2 };
  const taken = () => client.leaseDirective(directive, other).catch((error: unknown) => error);
  await expect.poll(taken, { timeout: 30_000 }).toMatchObject({ code: "BYLAW_DIRECTIVE_SPENT" });
  expect(await call("helper")).toMatchObject({ code: 1, open: ["broken"] });
  expect(readFileSync(join(cwd, "tries.txt"), "utf8")).toBe("11");
  await server.stop();
});

it("reports an unreachable server and a token that the server does not know", async () => {
  const server = await startServer(site, { data: site.path("asked") });
  const cwd = scratch({ "agents.json": agentsFile({ review: role() }) });
  const once = (url: string, token: string) =>
    json(
      bylaw(["agents", "agents.json", "--url", url, "--once", "--json"], {
        cwd,
        env: { BYLAW_OPERATOR_TOKEN: token },
      }),
    );
  expect(once(server.url, ENROL)).toMatchObject({ error: { code: "BYLAW_APPROVAL_UNAUTHORIZED" } });
  await server.stop();
  expect(once(server.url, OPERATOR)).toMatchObject({ error: { code: "BYLAW_SERVER_UNREACHABLE" } });
});

it.each([
  ["{", /JSON/],
  [agentsFile({ review: { command: [] } }), /agents\.review\.command/],
  [agentsFile({ review: role({ shell: true }) }), /unknown key `shell`/],
  [agentsFile({ review: role({ env: ["BYLAW_OPERATOR_TOKEN"] }) }), /secret of the server/],
])("a faulty file of agents is refused with the reason: %s", (text, why) => {
  const cwd = scratch({});
  writeFileSync(join(cwd, "agents.json"), text);
  const ran = bylaw("agents agents.json --json", { cwd, env: { BYLAW_OPERATOR_TOKEN: OPERATOR } });
  expect(ran.code).toBe(2);
  const { error } = json(ran) as { readonly error: { readonly code: string; message: string } };
  expect(error.code).toBe("BYLAW_AGENTS_INVALID");
  expect(error.message).toMatch(why);
});
