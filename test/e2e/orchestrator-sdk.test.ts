import { readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import {
  AgentClient,
  ApprovalRefused,
  type ApprovalPending,
  NoTaskReady,
  NotClaimed,
  NotPermitted,
  RequestInvalid,
  TokenExpired,
  ToolFailed,
  ToolForbidden,
  TransitionBlocked,
  Unauthenticated,
  type AgentClientOptions,
  type JsonObject,
  type LogEvent,
} from "@bylaw/sdk";
import { openSqliteReader } from "@bylaw/store-sqlite";
import { bylaw, type Ran } from "./bylaw.ts";
import {
  ENROL,
  OPERATOR,
  createOperator,
  endServers,
  makeSite,
  startServer,
  textIn,
  type Operator,
  type ServerProcess,
} from "./orchestrator-kit.ts";
import { eventsOf } from "./orchestrator-walk.ts";
import { HANDED, TESTS } from "./walk-artifacts.ts";

const TASKS = ["remote", "plain", "asks", "lost", "cut", "follow", "mine"] as const;
const site = makeSite(TASKS);
let server: ServerProcess;
let operator: Operator;
let wire: Server;
let via = "";
/** How many answers to each path are lost on the way, after the server has done its work. */
const lose = new Map<string, number>();

beforeAll(async () => {
  wire = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    const onward = request(
      {
        host: "127.0.0.1",
        port: server.port,
        path,
        method: incoming.method,
        headers: incoming.headers,
      },
      (answer) => {
        const left = lose.get(path) ?? 0;
        if (left > 0) {
          lose.set(path, left - 1);
          answer.resume().on("end", () => incoming.socket.destroy());
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => incoming.socket.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
  via = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
  server = await startServer(site);
  operator = createOperator(() => server.url);
  await operator.insist("POST", "/tasks", {
    tasks: [...TASKS.map((id) => ({ id })), { id: "second", dependencies: ["plain"] }],
  });
});
afterAll(async () => {
  wire.closeAllConnections();
  wire.close();
  await endServers();
});

function clientOf(agent_id: string, options: Partial<AgentClientOptions> = {}): AgentClient {
  const client = new AgentClient({
    endpoint: server.url,
    agent_id,
    enrol_secret: ENROL,
    retry: { base_ms: 10, cap_ms: 100, attempts: 200 },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

interface Question {
  readonly id: string;
  readonly kind: string;
  readonly task: string;
}
const openOf = async (task: string): Promise<readonly Question[]> =>
  ((await operator.insist("GET", "/approvals"))["approvals"] as readonly Question[]).filter(
    (one) => one.task === task,
  );
const say = (answer: "yes" | "no", { id, kind }: Question): Promise<unknown> =>
  operator.insist("POST", `/approvals/${id}`, {
    answer,
    reason: "as the test says",
    ...(kind === "gate" && { role: "human" }),
  });
const yes = async (task: string): Promise<void> => {
  for (const question of await openOf(task)) await say("yes", question);
};
const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const planned = HANDED.plan as unknown as JsonObject;

it("every refusal of the service becomes an error that says what to do", async () => {
  const agent = clientOf("ann");
  const claim = await agent.claimTask({ task_id: "plain" });
  expect(claim).toMatchObject({
    task: { id: "plain", agent_id: "ann", assigned_phase: "PLAN" },
    phase: "PLAN",
  });
  expect(claim.allowed_tools).toContain("read_files");
  expect(JSON.stringify(await agent.readFile("src/index.js"))).toContain("The adder.");
  expect(JSON.stringify(await agent.grep("adder", "src"))).toContain("index.js");

  const kinds: readonly (readonly [() => Promise<unknown>, object | undefined, object])[] = [
    [() => agent.runCommand("id"), ToolForbidden, { next: "change", tool: "bash" }],
    [() => agent.writeFile("src/a.js", "x"), ToolForbidden, { next: "change" }],
    [() => agent.readFile("src/none.js"), ToolFailed, { next: "change", status: 400 }],
    [() => agent.readFile("../asks/package.json"), undefined, { next: "change" }],
    [() => agent.useTool("read_files", { path: 1 }), ToolForbidden, { next: "change" }],
    [() => agent.requestTransition("REVIEW"), RequestInvalid, { next: "change", status: 400 }],
    [() => agent.requestTransition("TDD"), TransitionBlocked, { next: "resolve", pending: false }],
    [
      () => agent.requestTransition("TDD", planned),
      TransitionBlocked,
      { next: "wait", pending: true, code: "gate_pending" },
    ],
    [
      () => agent.waitForApproval("0123456789abcdef"),
      undefined,
      { code: "BYLAW_APPROVAL_MISSING", status: 404 },
    ],
    [() => clientOf("bob").claimTask({ task_id: "plain" }), NoTaskReady, { next: "wait" }],
    [() => clientOf("bob").claimTask({ task_id: "second" }), NoTaskReady, { next: "wait" }],
    [
      () => clientOf("bob", { enrol_secret: "x".repeat(40) }).claimTask(),
      Unauthenticated,
      { next: "stop", status: 401 },
    ],
    [
      () =>
        clientOf("bob", { task_id: "asks", phase_token: OPERATOR, heartbeat: false }).heartbeat(),
      NotPermitted,
      { next: "stop" },
    ],
  ];
  for (const [attempt, kind, fields] of kinds) {
    const error = await rejection(attempt());
    if (kind !== undefined) expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      ...fields,
      fix: expect.toSatisfy(
        (fix: unknown) => fix === undefined || typeof fix === "string",
      ) as unknown,
    });
  }

  const checked = await agent.checkTools([
    { id: "a", tool_name: "read_files", args: { path: "src/index.js" } },
    { id: "b", tool_name: "bash", args: { command: "id" } },
  ]);
  expect(checked.map(({ id, allowed }) => [id, allowed])).toEqual([
    ["a", true],
    ["b", false],
  ]);
  await agent.reportResult({
    id: checked[0]?.call_id ?? "",
    tool_name: "read_files",
    ok: true,
    result: null,
  });
  expect(await agent.checkTool("bash", { command: "id" }, { record: false })).toMatchObject({
    allowed: false,
    effect: "deny",
  });
  expect((await agent.tools()).filter(({ allowed }) => allowed).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["grep", "glob", "read_files"]),
  );
  expect(await agent.getStateSnapshot()).toMatchObject({
    task_id: "plain",
    current_phase: "PLAN",
    completed_tasks: [],
  });
});

it("the client waits for a gate, and replaces the token of the previous phase", async () => {
  const agent = clientOf("cut-1");
  await agent.claimTask({ task_id: "mine" });
  expect(await rejection(agent.requestTransition("TDD", planned))).toMatchObject({ pending: true });
  const [gate] = await agent.approvals();
  const waiting = agent.waitForApproval(gate?.id ?? "");
  await yes("mine");
  expect(await waiting).toMatchObject({ kind: "gate", state: "approved" });
  // Another client of the same agent still has the previous token.
  const before = clientOf("cut-1");
  await before.claimTask({ task_id: "mine" });
  await agent.claimTask({ task_id: "mine" });
  expect((await agent.requestTransition("TDD", planned)).phase).toBe("TDD");
  expect(await rejection(before.readFile("src/index.js"))).toBeInstanceOf(TokenExpired);
  await before.claimTask({ task_id: "mine" });
  expect(before.phase).toBe("TDD");
});

it("the client waits for a person's answer: yes lets the call through once, no does not", async () => {
  const agent = clientOf("asker");
  await agent.claimTask({ task_id: "asks" });
  const question = { question: "Which database?", options: ["SQLite", "PostgreSQL"] };
  const error = await rejection(agent.useTool("ask_user_question", question));
  expect(error).toMatchObject({ name: "ApprovalPending", next: "wait" });
  const asked = agent.useTool(
    "ask_user_question",
    { question: "Which one?" },
    { approval_wait_ms: 60_000 },
  );
  await expect.poll(async () => (await agent.approvals()).length).toBe(2);
  const { approval_id } = error as ApprovalPending;
  const refused = rejection(agent.waitForApproval(approval_id));
  for (const question of await openOf("asks"))
    await say(question.id === approval_id ? "no" : "yes", question);
  expect(await refused).toBeInstanceOf(ApprovalRefused);
  // The tool returns what the person wrote.
  expect(JSON.stringify((await asked).result)).toContain("as the test says");
});

it("an operator answers requests on a server by the command, and nobody can without the token", async () => {
  const agent = clientOf("remote");
  await agent.claimTask({ task_id: "remote" });
  const error = await rejection(agent.useTool("ask_user_question", { question: "Which one?" }));
  const { approval_id } = error as ApprovalPending;
  const approve = (token: string, ...args: readonly string[]): Ran =>
    bylaw(["approve", ...args, "--url", server.url], {
      cwd: site.folder,
      env: { BYLAW_OPERATOR_TOKEN: token },
    });
  expect(approve("", "yes", approval_id)).toMatchObject({ code: 1, stdout: "" });
  expect(approve("x".repeat(40), "yes", approval_id).code).toBe(1);
  expect(approve(OPERATOR, "list").stdout).toContain(approval_id);
  expect(approve(OPERATOR, "show", approval_id).stdout).toContain("Which one?");
  expect(approve(OPERATOR, "no", approval_id)).toMatchObject({ code: 2 });
  expect(approve(OPERATOR, "yes", "0".repeat(16))).toMatchObject({ code: 1 });
  expect(approve(OPERATOR, "yes", approval_id)).toMatchObject({ code: 0, stderr: "" });
  expect(await agent.waitForApproval(approval_id)).toMatchObject({ state: "approved" });
  expect(approve(OPERATOR, "yes", approval_id)).toMatchObject({ code: 1 });
});

it("every change by an agent happens once, even if the answers were lost", async () => {
  const agent = clientOf("cutter", { endpoint: via });
  for (const path of ["claim", "transition"]) lose.set(`/api/v1/tasks/${path}`, 2);
  await agent.claimTask({ task_id: "cut" });
  expect(await rejection(agent.requestTransition("TDD", planned))).toMatchObject({ pending: true });
  await yes("cut");
  lose.set("/api/v1/tasks/transition", 2);
  expect(await agent.requestTransition("TDD", planned)).toMatchObject({
    phase: "TDD",
    replayed: true,
  });
  lose.set("/api/v1/tools/execute", 2);
  await agent.writeFile("tests/add.test.js", TESTS);
  lose.set("/api/v1/tools/execute", 3);
  await agent.writeFile("tests/add.test.js", "// once\n", { mode: "a" });
  expect(textIn(site, "cut", "tests/add.test.js")).toBe(`${TESTS}// once\n`);
  for (const path of ["check", "check/batch", "result"]) lose.set(`/api/v1/tools/${path}`, 2);
  const call = { tool_name: "read_files", args: { path: "src/index.js" } };
  const { id = "" } = await agent.checkTool(call.tool_name, call.args);
  await agent.batch([call]);
  await agent.reportResult({ id, tool_name: call.tool_name, ok: true });
  for (const path of ["release", "fail"]) lose.set(`/api/v1/tasks/${path}`, 2);
  await agent.releaseTask();
  expect(agent.task_id).toBeUndefined();
  await agent.claimTask({ task_id: "cut" });
  await agent.failTask("cannot be done");
  expect(agent.task_id).toBeUndefined();
  const own = (await eventsOf(await openSqliteReader(site.path("data", "store.db")))).filter(
    ({ task_id }) => task_id === "cut",
  );
  const count = (type: string): number =>
    own.filter(({ event_type }) => event_type === type).length;
  expect({
    claimed: count("task_claimed"),
    entered: count("phase_entered"),
    blocked: count("transition_blocked"),
    allowed: count("tool_allowed"),
    results: count("tool_result"),
    released: count("task_released"),
    failed: count("task_failed"),
  }).toEqual({
    claimed: 2,
    entered: 2,
    blocked: 1,
    allowed: 4,
    results: 3,
    released: 1,
    failed: 1,
  });
  expect([...lose.values()].every((left) => left === 0)).toBe(true);
});

it("an agent that released a task holds nothing", async () => {
  const agent = clientOf("loser");
  await agent.claimTask({ task_id: "lost" });
  const token = clientOf("loser");
  await token.claimTask({ task_id: "lost" });
  await agent.claimTask({ task_id: "lost" });
  await agent.releaseTask();
  expect(await rejection(agent.heartbeat())).toBeInstanceOf(NotClaimed);
  const finder = clientOf("finder");
  await finder.claimTask({ task_id: "lost" });
  expect(await rejection(token.heartbeat())).toMatchObject({ next: "claim" });
  // The agent that holds the task now reads its whole history, including other agents'.
  const holders: (string | null)[] = [];
  for await (const { event_type, agent_id } of finder.events({
    signal: AbortSignal.timeout(20_000),
  })) {
    if (event_type === "task_claimed") holders.push(agent_id);
    if (agent_id === "finder") break;
  }
  expect(holders).toEqual(["loser", "finder"]);
});

it("events arrive once and in order, across a restart of the server", async () => {
  const agent = clientOf("reader");
  await agent.claimTask({ task_id: "follow" });
  const seen: LogEvent[] = [];
  const stop = new AbortController();
  const following = (async () => {
    for await (const event of agent.events({ signal: stop.signal })) seen.push(event);
  })().catch(() => undefined);
  const reads = async (count: number): Promise<void> => {
    const before = seen.filter(({ event_type }) => event_type === "tool_result").length;
    for (let index = 0; index < count; index += 1) await agent.readFile("src/index.js");
    await expect
      .poll(() => seen.filter(({ event_type }) => event_type === "tool_result").length)
      .toBe(before + count);
  };
  await reads(3);
  const { port } = server;
  await server.kill();
  server = await startServer(site, { port });
  await reads(3);
  stop.abort();
  await following;
  const own = (await eventsOf(await openSqliteReader(site.path("data", "store.db")))).filter(
    ({ task_id }) => task_id === "follow",
  );
  expect(seen.map(({ sequence }) => sequence)).toEqual(own.map(({ sequence }) => sequence));
  expect(JSON.stringify(seen)).not.toContain(
    readFileSync(site.path("work", "follow", "src", "index.js"), "utf8").trim(),
  );
});
