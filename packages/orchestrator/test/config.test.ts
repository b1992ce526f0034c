import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planOf, serve, type Agent, type Served } from "./operate-kit.ts";

const CONFIG = `
import { defineConfig } from "@bylaw/kernel";
import { artifacts } from "@bylaw/plugin-artifacts";
import { coordinator } from "@bylaw/plugin-coordinator";
import { gates } from "@bylaw/plugin-gates";
import { phases } from "@bylaw/plugin-phases";
import { reasons } from "@bylaw/plugin-reasons";
import { tasks } from "@bylaw/plugin-tasks";
import { tokens } from "@bylaw/plugin-tokens";

const contract = "agent_workflow.yaml";
export default defineConfig({
  plugins: [
    phases({ contract }),
    artifacts({ contract }),
    gates({ contract }),
    tasks(),
    coordinator(),
    tokens({ contract, keys: [{ id: "default", file: "token.secret" }] }),
    reasons({ workflow_tools: { vote: "vote", new_answer: "answer" } }),
  ],
});
`;

let served: Served;
let ann: Agent;
beforeAll(async () => {
  served = await serve({
    files(folder) {
      const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
      symlinkSync(modules, join(folder, "node_modules"));
      writeFileSync(join(folder, "bylaw.config.mjs"), CONFIG);
      writeFileSync(join(folder, "token.secret"), "a".repeat(64), { mode: 0o600 });
      return { config: join(folder, "bylaw.config.mjs"), policy: [], contract: undefined };
    },
  });
  ann = await served.claim("ann");
});
afterAll(() => served.close());

test("a non-compliant response is refused with a message for the model, and a repeated request costs no attempt", async () => {
  const said = {
    tool_calls: [{ id: "1", tool: "execute_command", args: {} }],
    available_tools: ["vote", "new_answer"],
    request_id: "one",
  };
  const first = await ann.send("POST", "/responses", said);
  expect(first.body).toMatchObject({ accepted: false, code: "unknown_tool", recovery: "restart" });
  expect(String(first.body["reason"])).toMatch(/^Retry \(1\/3\)/);
  expect(String(first.body["message"])).toContain("vote");
  expect((await ann.send("POST", "/responses", said)).body["reason"]).toBe(first.body["reason"]);
  expect(
    String((await ann.send("POST", "/responses", { ...said, request_id: "two" })).body["reason"]),
  ).toMatch(/^Retry \(2\/3\)/);
  const voted = await ann.send("POST", "/responses", {
    ...said,
    tool_calls: [{ tool: "new_answer", args: { content: "x" } }],
    request_id: "three",
  });
  expect(voted.body).toMatchObject({ accepted: true });
  expect((await served.as("operator").get("/status")).body).toMatchObject({
    agents: { ann: { reliability: { outcome: "ok" } } },
  });
});

test("gates of a configuration are answered like those of the default plugins", async () => {
  await ann.move("BUILD", planOf("It greets"));
  const { approvals } = (await served.as("ada").get("/approvals")).body as unknown as {
    approvals: readonly { id: string; gate: string }[];
  };
  expect(approvals).toMatchObject([{ gate: "plan_approval", task: ann.task }]);
  expect(
    (
      await served
        .as("ada")
        .send("POST", `/approvals/${approvals[0]?.id ?? ""}`, { answer: "yes", role: "lead" })
    ).status,
  ).toBe(200);
  expect((await ann.move("BUILD", planOf("It greets"))).body).toMatchObject({ allowed: true });
});

test("routes without a plugin in the configuration do not exist", async () => {
  expect((await ann.get("/constitution")).status).toBe(404);
});

test("a coordinator records events, once for each request, and none that cannot have happened", async () => {
  const event = (event_type: string, details: object) => ({
    ...{ event_type, agent_id: "dev-1", task_id: "task-1", details },
    request_id: event_type,
  });
  const operator = served.as("operator");
  const dispatched = event("developer_dispatched", { blocked_by: [] });
  const first = await operator.send("POST", "/events", dispatched);
  expect(first).toMatchObject({ status: 200, body: { event_type: "developer_dispatched" } });
  expect((await operator.send("POST", "/events", dispatched)).body).toEqual(first.body);
  const complete = event("task_complete", { evidence_summary: "it works" });
  expect(await operator.send("POST", "/events", complete)).toMatchObject({
    status: 409,
    body: { code: "BYLAW_EVENT_REFUSED", detail: expect.stringContaining("auditor") },
  });
  // Approvals have their own route, which agents may not use.
  const approved = await operator.send("POST", "/events", event("approval_granted", {}));
  expect(approved).toMatchObject({ status: 400, body: { code: "BYLAW_EVENT_INVALID" } });
  const assigned = event("experiment_assigned", { experiment: "fewer-asks", variant: "b" });
  expect(await operator.send("POST", "/events", assigned)).toMatchObject({
    ...{ status: 400, body: { code: "BYLAW_EVENT_INVALID" } },
  });
  expect((await ann.send("POST", "/events", dispatched)).status).toBe(403);
});
