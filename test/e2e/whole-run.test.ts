import { writeFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { AgentClient, ToolForbidden } from "@bylaw/sdk";
import { ENROL, createOperator, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

const AGENTS = ["t1", "t2", "t3", "t4"] as const;
const site = makeSite(AGENTS);
afterAll(endServers);

const RULE = `
[[rules]]
name = "three-reads"
action = "deny"
tool = "read_files"
reason = "Three files were read in this run."
when = { all = [
  { projection = "@bylaw/plugin-policy/calls", path = "$.tools.read_files.allowed", operator = "greaterThanInclusive", value = 3 },
] }

[[rules]]
name = "others"
action = "allow"
tool = "*"
`;

it("a rule of at most three calls in a run allows three, with agents on two servers at the same moment", async () => {
  writeFileSync(site.path("policy.toml"), RULE);
  const policy = [site.path("policy.toml")];
  const servers = [await startServer(site, { policy }), await startServer(site, { policy })];
  const operator = createOperator(() => servers[0]?.url ?? "");
  await operator.insist("POST", "/tasks", { tasks: AGENTS.map((id) => ({ id })) });
  const agents = await Promise.all(
    AGENTS.map(async (task_id, at) => {
      const endpoint = servers[at % 2]?.url ?? "";
      const agent_id = `agent-${task_id}`;
      const agent = new AgentClient({ agent_id, endpoint, enrol_secret: ENROL, heartbeat: false });
      await agent.claimTask({ task_id });
      return agent;
    }),
  );
  const calls = agents.flatMap((agent) =>
    [1, 2, 3].map(() =>
      agent.useTool("read_files", { path: "src/index.js" }).then(
        () => "allowed",
        (error: unknown) => (error instanceof ToolForbidden ? "denied" : String(error)),
      ),
    ),
  );
  const outcomes = await Promise.all(calls);
  expect(outcomes.toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => "allowed"),
    ...Array.from({ length: 9 }, () => "denied"),
  ]);
});
