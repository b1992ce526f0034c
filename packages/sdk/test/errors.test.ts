import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import {
  type AgentClient,
  ApprovalPending,
  NotClaimed,
  ToolForbidden,
  TransitionBlocked,
} from "../src/index.ts";
import { CLAIM, holding, problem, rejection, serve, start, type Reply } from "./kit.ts";

it.each(readCases<[number, string, string, string]>(import.meta, "answers"))(
  "the answer %d %s to a tool call gives %s: %s",
  async (status, code, name, next) => {
    const { endpoint } = await serve(() =>
      problem(status, code, {
        fix: "do otherwise",
        ...(name === "ToolFailed" && { decision: { effect: "allow" } }),
      }),
    );
    const error = await rejection(holding(endpoint).client.useTool("bash", { command: "ls" }));
    expect(error).toMatchObject({
      name,
      next,
      code,
      status,
      fix: "do otherwise",
      message: `The request failed with ${code}`,
      problem: { code },
    });
  },
);

it("WF-111: a forbidden call names its tool, and differs from an expired token", async () => {
  const { endpoint } = await serve(() => problem(403, "phase_tool_forbidden"));
  const error = await rejection(holding(endpoint).client.writeFile("src/a.ts", "x"));
  expect(error).toBeInstanceOf(ToolForbidden);
  expect(error).toMatchObject({ tool: "write_files" });
});

it("an operator's request is not permitted, and differs from a forbidden tool", async () => {
  const { endpoint } = await serve(() => problem(403, "operator_only"));
  expect(await rejection(holding(endpoint).client.getStateSnapshot())).toMatchObject({
    name: "NotPermitted",
    next: "stop",
  });
});

it("a blocked transition throws all blockers, and says whether only an approval is missing", async () => {
  const vote = (code: string, more: object = {}) => ({
    effect: "deny",
    code,
    reason: code,
    ...more,
  });
  const answers = [
    [vote("artifact_invalid"), vote("gate_pending")],
    [
      vote("gate_pending"),
      vote("gate_warning", { severity: "warning" }),
      vote("allowed", { effect: "allow" }),
    ],
  ];
  const { endpoint } = await serve((_, count) => ({
    body: {
      allowed: false,
      new_token: null,
      phase: "PLAN",
      blockers: ["one", "two"],
      sequence: count,
      decision: {
        effect: "deny",
        code: "gate_pending",
        reason: "one",
        fix: "ask",
        votes: answers[count - 1],
      },
    },
  }));
  const { client } = holding(endpoint);
  const error = await rejection(client.requestTransition("TDD"));
  expect(error).toBeInstanceOf(TransitionBlocked);
  expect(error).toMatchObject({
    blockers: ["one", "two"],
    pending: false,
    next: "resolve",
    fix: "ask",
    status: 200,
  });
  expect(String(error)).toBe("TransitionBlocked: Transition to `TDD` blocked: one; two");
  expect(await rejection(client.requestTransition("TDD"))).toMatchObject({
    pending: true,
    next: "wait",
  });
});

it("a request that needs a task is refused before it is sent", async () => {
  const { endpoint, received } = await serve(() => ({ body: {} }));
  const { client } = start(endpoint);
  for (const early of [
    () => client.useTool("bash"),
    () => client.requestTransition("TDD"),
    () => client.heartbeat(),
    () => client.getStateSnapshot(),
    () => client.releaseTask(),
    () => client.checkTools([]),
    () => client.events().next(),
  ]) {
    const error = await rejection(early());
    expect(error).toBeInstanceOf(NotClaimed);
    expect(error).toMatchObject({
      code: "not_claimed",
      next: "claim",
      fix: "Call `claimTask` first",
    });
  }
  expect(received).toEqual([]);
});

it("a call that needs approval throws, or waits for it and is repeated", async () => {
  const asked = { status: 202, body: { approval_id: "q/1", status: "pending", decision: {} } };
  let answered = 0;
  const { endpoint, received } = await serve(({ path }) => {
    if (path.startsWith("/api/v1/approvals/"))
      return { body: { id: "q/1", state: ++answered < 2 ? "open" : "approved" } };
    return answered < 2
      ? asked
      : { body: { id: "c1", result: "done", logged: true, decision: {} } };
  });
  const { client } = holding(endpoint);
  const error = await rejection(client.useTool("send_mail"));
  expect(error).toBeInstanceOf(ApprovalPending);
  expect(error).toMatchObject({ approval_id: "q/1", next: "wait" });
  expect((await client.useTool("send_mail", {}, { approval_wait_ms: 60_000 })).result).toBe("done");
  const looked = received.filter(({ method }) => method === "GET").map(({ path }) => path);
  expect(looked).toHaveLength(2);
  expect(looked[0]).toMatch(/^\/api\/v1\/approvals\/q%2F1\?wait_ms=\d+$/);
});

it.each([
  ["rejected", "approval_rejected"],
  ["superseded", "approval_superseded"],
])("a question that is %s throws", async (state, code) => {
  const { endpoint } = await serve(() => ({ body: { id: "q1", state } }));
  expect(await rejection(holding(endpoint).client.waitForApproval("q1"))).toMatchObject({
    name: "ApprovalRefused",
    code,
    next: "change",
  });
});

it("a question that nobody answers throws when the time is over", async () => {
  const { endpoint } = await serve(() => ({ body: { id: "q1", state: "open" } }));
  const error = await rejection(holding(endpoint).client.waitForApproval("q1", { wait_ms: 0 }));
  expect(error).toMatchObject({ name: "ApprovalRefused", code: "approval_expired" });
});

/** The answer to a transition, with a token. */
const moved = (new_token: string) => ({
  body: { allowed: true, new_token, phase: "TDD", blockers: [], decision: {}, sequence: 1 },
});

/** Makes a request, and another one before the server answers the first. Answers are by the end of the path; `late` is that of the first. */
async function overtaken(
  [first, second]: readonly ((client: AgentClient) => Promise<unknown>)[],
  answers: Readonly<Record<string, Reply>>,
  late: Reply,
) {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { endpoint, received } = await serve(async ({ path, headers }) => {
    const early = answers[path.split("/").at(-1) ?? ""] ?? answers[headers.authorization ?? ""];
    if (early === undefined) await held;
    return early ?? late;
  });
  const { client } = holding(endpoint);
  const pending = first?.(client);
  await expect.poll(() => received.length).toBe(1);
  await second?.(client);
  release();
  await pending;
  return { client, received };
}
const beat = (client: AgentClient) => client.heartbeat();
const move = (client: AgentClient) => client.requestTransition("TDD");
const renewed = (phase_token: string) => ({ body: { lease_until: "x", phase_token } });

it("WF-111: a request whose token was replaced on the way is repeated with the new one", async () => {
  const answers = { transition: moved("second"), "Bearer second": renewed("second") };
  const { client } = await overtaken([beat, move], answers, problem(403, "token_superseded"));
  expect(client.phase).toBe("TDD");
});

it.each([
  ["a token that comes late", [beat, move], { transition: moved("second") }, renewed("late")],
  ["that of a heartbeat", [move, beat], { heartbeat: renewed("late") }, moved("second")],
] as const)("WF-111: %s does not replace a newer one", async (_, requests, answers, late) => {
  const { client, received } = await overtaken(
    requests,
    { ...answers, snapshot: { body: {} } },
    late,
  );
  await client.getStateSnapshot();
  expect(received.at(-1)?.headers.authorization).toBe("Bearer second");
});

it("a claim sends the secret, everything else the token, and neither is in a URL", async () => {
  const { endpoint, received } = await serve(({ path }) => ({
    body: path.endsWith("/claim") ? CLAIM : { lease_until: "x" },
  }));
  const { client } = start(endpoint);
  const claim = await client.claimTask();
  expect(claim).not.toHaveProperty("phase_token");
  expect([client.task_id, client.phase]).toEqual(["t1", "PLAN"]);
  await client.heartbeat();
  expect(
    received.map(({ method, path, headers }) => [method, path, headers.authorization]),
  ).toEqual([
    ["POST", "/api/v1/tasks/claim", "Bylaw-Enrol enrol-secret-that-nobody-may-see"],
    ["POST", "/api/v1/tasks/heartbeat", "Bearer phase-token-that-nobody-may-see"],
  ]);
  expect(received[1]?.body).toEqual({ task_id: "t1" });
});
