import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@bylaw/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serve, type Served } from "./kit.ts";

const CONTRACT = `
bylaw: 1
name: Everything
phases:
  - { id: WORK, name: Work, allowed_tools: [read_files, write_files] }
transitions: []
enforcement: { mode: strict, phase_tokens: { enabled: true, secret_env_var: KEY_OF_THIS_TEST } }
`;
const CONFIG = `
import { defineConfig } from "@bylaw/kernel";
import { coordinator } from "@bylaw/plugin-coordinator";
import { phases } from "@bylaw/plugin-phases";
import { reasons } from "@bylaw/plugin-reasons";
import { tasks } from "@bylaw/plugin-tasks";
import { tokens } from "@bylaw/plugin-tokens";

const contract = "agent_workflow.yaml";
export default defineConfig({ plugins: [phases({ contract }), tasks(), tokens({ contract }), coordinator(), reasons({ workflow_tools: { done: "end" } })] });
`;

let folder: string;
let at: Served;
beforeAll(async () => {
  folder = temporaryFolder();
  symlinkSync(
    fileURLToPath(new URL("../../../node_modules", import.meta.url)),
    join(folder, "node_modules"),
  );
  writeFileSync(join(folder, "agent_workflow.yaml"), CONTRACT);
  writeFileSync(join(folder, "bylaw.config.mjs"), CONFIG);
  process.env["KEY_OF_THIS_TEST"] = "the-secret-of-tokens-of-this-test-of-ends";
  const settings = {
    data: join(folder, ".bylaw"),
    config: join(folder, "bylaw.config.mjs"),
    contract: undefined,
  };
  at = await serve({ settings }, folder);
});
afterAll(async () => {
  await at.close();
  delete process.env["KEY_OF_THIS_TEST"];
});

it("every request of an agent to an ended run is 409 run_ended, and not a failure of the server", async () => {
  const { auth, task: task_id } = await at.agent("ann");
  const call = { task_id, tool_name: "read_files", args: { path: "a" } };
  expect((await at.post("/tools/check", auth, call)).status).toBe(200);
  const details = { reason: "out of money", last_state: "one task of two" };
  await at.service.run.record([
    { event_type: "workflow_failed", agent_id: null, task_id: null, details },
  ]);
  const requests: readonly (readonly [path: string, body: object])[] = [
    ["/tools/check", call],
    ["/tools/check/batch", { task_id, calls: [{ tool_name: "read_files", args: { path: "a" } }] }],
    ["/tools/execute", call],
    ["/responses", { text: "done" }],
    ["/behaviors", { action: "continue" }],
    ["/tasks/transition", { task_id, target_phase: "@completed", artifacts: {} }],
  ];
  for (const [path, body] of requests) {
    const answer = await at.post(path, auth, body);
    expect([path, answer]).toMatchObject([
      path,
      { status: 409, body: { code: "run_ended", decision: { code: "run_ended" } } },
    ]);
    expect(answer.headers.get("retry-after")).toBeNull();
  }
  expect(at.runs.size).toBe(0);
});
