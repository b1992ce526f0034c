import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ToolForbidden, TransitionBlocked } from "@bylaw/sdk";
import { openSqliteReader } from "@bylaw/store-sqlite";
import { bylaw, json, type Ran } from "./bylaw.ts";
import { ENROL, endServers, makeSite, startServer } from "./orchestrator-kit.ts";
import { eventsOf } from "./orchestrator-walk.ts";
import { PYTHON, python } from "./python.ts";
import { SHIPPED } from "./workflow-walk-kit.ts";

afterAll(endServers);

async function serve(contract: string) {
  const site = makeSite(["t1", "t2"], contract);
  const server = await startServer(site, {}, [{ id: "t1" }, { id: "t2" }]);
  const ann = server.client("ann");
  await ann.claimTask({ task_id: "t1" });
  return { site, server, ann };
}

const inMode = (mode: string): string => SHIPPED.replace('mode: "strict"', `mode: "${mode}"`);

const IN_PYTHON = `
import json, os
from bylaw_sdk import AgentClient
with AgentClient("bob", os.environ["URL"], enrol_secret=os.environ["ENROL"], heartbeat=False) as bob:
    bob.claim_task(task_id="t2")
    checked = bob.check_tool("bash", {"command": "ls"})
    print(json.dumps([checked, bob.run_command("ls"), bob.request_transition("TDD")["warnings"]]))
`;

describe.each(["permissive", "advisory"])("a contract in mode %s", (mode) => {
  it("allows a forbidden tool and a blocked transition, and says why", async () => {
    const { site, server, ann } = await serve(inMode(mode));
    const checked = await ann.checkTool("bash", { command: "ls" });
    expect(checked).toMatchObject({ allowed: true, effect: "deny", applied: "allow" });
    expect(checked.warnings).toEqual([
      expect.stringContaining("forbids `bash`"),
      "The token does not allow this tool",
    ]);
    const { result, warnings } = await ann.useTool("bash", { command: "ls" });
    expect([result, warnings]).toEqual([expect.anything(), checked.warnings]);
    const allowed = await ann.useTool("read_files", { path: "src/index.js" });
    expect(allowed.warnings).toEqual([]);
    const moved = await ann.requestTransition("TDD");
    expect(moved.phase).toBe("TDD");
    // One for each cause, as the blockers of strict mode are.
    expect(moved.warnings).toEqual([
      expect.stringContaining("`plan_document`"),
      expect.stringContaining("`scope_definition`"),
    ]);
    // The record has what strict mode decides.
    const events = await eventsOf(await openSqliteReader(site.path("data", "store.db")));
    const recorded = events.filter(({ details }) => details["tool"] === "bash");
    expect(JSON.stringify(recorded)).toContain("token_tool");
    if (PYTHON) {
      const [checkedThere, ran, blockers] = python(IN_PYTHON, { URL: server.url, ENROL }) as [
        { warnings: string[] },
        object,
        string[],
      ];
      expect(checkedThere.warnings).toEqual(checked.warnings);
      expect([ran, blockers]).toEqual([expect.anything(), moved.warnings]);
    }
  });

  it("still refuses a token that is not the task's, a protected path and an unknown phase", async () => {
    const { site, server, ann } = await serve(inMode(mode));
    const call = async (token: string, tool_name: string, args: object) => {
      const response = await fetch(`${server.url}/api/v1/tools/execute`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ task_id: "t1", tool_name, args }),
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const claim = await fetch(`${server.url}/api/v1/tasks/claim`, {
      method: "POST",
      headers: { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" },
      body: JSON.stringify({ agent_id: "ann", task_id: "t1" }),
    });
    const { phase_token: first } = (await claim.json()) as { phase_token: string };
    await ann.requestTransition("TDD");
    expect(await call(first, "read_files", { path: "src/index.js" })).toEqual([
      403,
      "token_superseded",
    ]);
    const forged = `${first.slice(0, -4)}AAAA`;
    expect((await call(forged, "bash", { command: "ls" }))[0]).toBe(401);
    const write = ann.useTool("write_files", {
      path: site.path("agent_workflow.yaml"),
      content: "phases: []",
    });
    await expect(write).rejects.toBeInstanceOf(ToolForbidden);
    await expect(ann.requestTransition("NOWHERE")).rejects.toFailWith("phase_target_unknown");
    expect(ann.phase).toBe("TDD");
  });
});

it("a contract that only warns about violations allows tools, and blocks transitions", async () => {
  const warns = SHIPPED.replace('violation_action: "reject"', 'violation_action: "warn"');
  const { ann } = await serve(warns);
  const { warnings } = await ann.useTool("bash", { command: "ls" });
  expect(warnings).toEqual([
    expect.stringContaining("forbids `bash`"),
    "The token does not allow this tool",
  ]);
  await expect(ann.requestTransition("TDD")).rejects.toBeInstanceOf(TransitionBlocked);
});

it("a configuration needs no mode besides the contract's, and may not name another", async () => {
  const site = makeSite([], inMode("permissive"));
  symlinkSync(join(import.meta.dirname, "../../node_modules"), site.path("node_modules"));
  const configure = (extra: string): void =>
    writeFileSync(
      site.path("bylaw.config.mjs"),
      `import { phases } from "@bylaw/plugin-phases";
export default { plugins: [phases({ contract: "agent_workflow.yaml", elsewhere: ["artifacts", "gates", "tokens"] })]${extra} };\n`,
    );
  const check = (): Ran =>
    bylaw(["check", "--tool", "bash", "--args", '{"command":"ls"}', "--json"], {
      cwd: site.folder,
    });
  configure("");
  expect(json(check())).toMatchObject({ effect: "deny", enforcement_mode: "permissive" });
  configure(', enforcement_mode: "strict"');
  const { code, stdout } = check();
  expect([code, stdout]).toEqual([2, expect.stringContaining("The enforcement mode is `strict`")]);
});
