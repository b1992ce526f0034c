import { writeFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { ToolForbidden } from "@bylaw/sdk";
import { endServers, makeSite, startServer, clientFor } from "./orchestrator-kit.ts";

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
  const tasks = AGENTS.map((id) => ({ id }));
  const servers = [await startServer(site, { policy }, tasks), await startServer(site, { policy })];
  const agents = await Promise.all(
    AGENTS.map(async (task_id, at) => {
      const agent = clientFor(servers[at % 2] ?? { url: "" }, `agent-${task_id}`);
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
