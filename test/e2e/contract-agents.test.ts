import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TransitionBlocked } from "@bylaw/sdk";
import { spawnAgent } from "@bylaw/sdk/node";
import {
  ENROL,
  OPERATOR,
  endServers,
  makeSite,
  startServer,
  type ServerProcess,
} from "./orchestrator-kit.ts";
import { CONTRACT, project } from "./approve-kit.ts";
import { connectMcp } from "./mcp.ts";
import { PYTHON, python } from "./python.ts";
import { CODE, HANDED, TESTS } from "./walk-artifacts.ts";

const TASKS = ["learns", "snake", "started", "started-2", "fails"] as const;
const site = makeSite(TASKS);
let server: ServerProcess;
beforeAll(async () => {
  const tasks = TASKS.map((id) => ({ id }));
  server = await startServer(site, {}, tasks);
});
afterAll(endServers);

const client = (agent_id: string) => server.client(agent_id);

describe("an agent learns the contract", () => {
  it("from the tool get_phase, in a run whose configuration has one", async () => {
    const contract = CONTRACT.replace("strict", "strict\n  phase_tokens: { enabled: false }");
    const of = '({ contract: "agent_workflow.yaml" })';
    const config = (text: string): string =>
      `import { phases } from "@bylaw/plugin-phases";
       import { artifacts } from "@bylaw/plugin-artifacts";
       ${text.replace("[gates(", `[phases${of}, artifacts${of}, gates(`)}`;
    const { cwd, move } = await project({ "agent_workflow.yaml": contract }, { config });
    const named = ["--store", "runs.db", "--run", "main", "--agent", "dev-1"];
    const agent = await connectMcp([...named, "--task", "T1"], cwd);
    const phase = async () => (await agent.callTool({ name: "get_phase" })).structuredContent;
    expect(await phase()).toMatchObject({
      ...{ task: "T1", phase: "PLAN", next_phases: [{ phase: "BUILD", gate: "plan_approval" }] },
      prompt: expect.stringMatching(/^You are in the phase PLAN /),
    });
    // After a refused transition it is still in its phase.
    await move("BUILD", {});
    expect(await phase()).toMatchObject({ phase: "PLAN" });
    const { tools } = await (await connectMcp(named, cwd)).listTools();
    expect(tools.map(({ name }) => name)).not.toContain("get_phase");
  });

  it("from its claim, its transitions and GET /contract, in words and as schemas", async () => {
    const ann = client("ann");
    const claim = await ann.claimTask({ task_id: "learns" });
    expect(claim.required_artifacts.map(({ type }) => type)).toEqual([
      "plan_document",
      "scope_definition",
    ]);
    expect(claim.required_artifacts[0]).toMatchObject({
      rules: expect.arrayContaining(["Plan must include measurable acceptance criteria"]),
      schema: { type: "object", required: expect.arrayContaining(["acceptance_criteria"]) },
    });
    expect(claim.next_phases).toEqual([{ phase: "TDD", gate: "plan_approval", when: "passed" }]);
    expect(ann.prompt).toBe(claim.prompt);
    expect(claim.prompt).toMatch(
      /You are in the phase PLAN .*\nYou may use these tools only: read_files, /,
    );
    expect(claim.prompt).toMatch(
      /request the transition to TDD\. 1 of human, orchestrator must approve\./,
    );
    const contract = await ann.contract();
    expect(contract.initial).toBe("PLAN");
    expect(contract.phases.map(({ id }) => id)).toEqual([
      "PLAN",
      "TDD",
      "IMPL",
      "REVIEW",
      "COMPLETE",
    ]);
    expect(contract.phases[0]?.prompt).toBe(claim.prompt);
    expect(contract.phases[4]?.["next_phases"]).toEqual([
      { phase: "@completed", gate: null, when: "passed" },
    ]);
    expect(contract.text).toContain("→ TDD  [plan_approval, token]");
    const stop = new AbortController();
    const attending = server.operator.attend(stop.signal);
    for (;;) {
      try {
        const entered = await ann.requestTransition("TDD", HANDED.plan as never);
        expect(entered.required_artifacts.map(({ type }) => type)).toEqual([
          "test_files",
          "test_run_result",
        ]);
        expect(ann.prompt).toMatch(/^You are in the phase TDD /);
        break;
      } catch (error) {
        if (!(error instanceof TransitionBlocked) || !error.pending) throw error;
      }
    }
    stop.abort();
    await attending;
  });

  it("as an operator or with an enrolment, and nobody else does", async () => {
    const status = async (authorization?: string): Promise<number> =>
      (
        await fetch(`${server.url}/api/v1/contract`, {
          headers: authorization === undefined ? {} : { authorization },
        })
      ).status;
    expect(await status(`Bearer ${OPERATOR}`)).toBe(200);
    expect(await status(`Bylaw-Enrol ${ENROL}`)).toBe(200);
    expect(await status()).toBe(401);
  });

  it.skipIf(!PYTHON)("in Python", () => {
    const told = python(
      `
import json, os
from bylaw_sdk import AgentClient, TransitionBlocked
with AgentClient("bob", os.environ["URL"], enrol_secret=os.environ["ENROL"], heartbeat=False) as bob:
    claim = bob.claim_task(task_id="snake")
    contract = bob.contract()
    try:
        bob.request_transition("TDD")
    except TransitionBlocked as blocked:
        print(json.dumps([claim["prompt"] == bob.prompt, contract["phases"][0]["prompt"] == bob.prompt, blocked.blocked_by, blocked.test_run]))
`,
      { URL: server.url, ENROL },
    );
    expect(told).toEqual([
      true,
      true,
      expect.arrayContaining([expect.objectContaining({ fix: expect.any(String) as string })]),
      null,
    ]);
  });

  it("from its environment, as a program that was started for a task", async () => {
    const file = site.path("told.json");
    const write = `require("fs").writeFileSync(${JSON.stringify(file)}, process.env.BYLAW_PROMPT)`;
    const agent = await spawnAgent([process.execPath, "-e", write], {
      ...{ endpoint: server.url, agent_id: "carl", enrol_secret: ENROL, task_id: "started" },
    });
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expect(readFileSync(file, "utf8")).toBe(agent.claim.prompt);
    if (!PYTHON) return;
    const told = python(
      `
import json, os, sys
from bylaw_sdk import RequestInvalid, spawn_agent
who = dict(agent_id="dora", orchestrator_url=os.environ["URL"], enrol_secret=os.environ["ENROL"], task_id="started-2")
try:
    spawn_agent(["/no/such/program"], **who)
except RequestInvalid:
    pass
look = "import os, json; json.dump({k: v for k, v in os.environ.items() if k.startswith('BYLAW_')}, open(os.environ['FILE'], 'w'))"
agent = spawn_agent([sys.executable, "-c", look], env={"FILE": os.environ["FILE"]}, **who)
code = agent.wait(30)
print(json.dumps([code, sorted(json.load(open(os.environ["FILE"]))), agent.claim["prompt"] == json.load(open(os.environ["FILE"]))["BYLAW_PROMPT"]]))
`,
      { URL: server.url, ENROL, FILE: site.path("env.json") },
    );
    const names = ["AGENT_ID", "ENDPOINT", "PHASE_TOKEN", "PROMPT", "TASK_ID"];
    expect(told).toEqual([0, names.map((name) => `BYLAW_${name}`), true]);
  });
});

describe("a blocked transition", () => {
  it("lists every cause once, each with its fix", async () => {
    const ann = client("eve");
    await ann.claimTask({ task_id: "fails" });
    const blocked = await ann.requestTransition("TDD").catch((error: unknown) => error);
    expect(blocked).toBeInstanceOf(TransitionBlocked);
    const { blocked_by, blockers } = blocked as TransitionBlocked;
    expect(blocked_by.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("artifact `plan_document` is missing"),
      expect.stringContaining("artifact `scope_definition` is missing"),
    ]);
    expect(blockers).toEqual(blocked_by.map(({ reason }) => reason));
    for (const { fix } of blocked_by) expect(fix).toMatch(/^Hand it in/);
  });

  it("with one failing test has one cause: the test, its file and the end of its output", async () => {
    const stop = new AbortController();
    const attending = server.operator.attend(stop.signal);
    const ann = client("eve");
    await ann.claimTask({ task_id: "fails" });
    const enter = async (phase: string, artifacts: unknown): Promise<void> => {
      for (;;) {
        try {
          await ann.requestTransition(phase, artifacts as never);
          return;
        } catch (error) {
          if (!(error instanceof TransitionBlocked) || !error.pending) throw error;
        }
      }
    };
    await enter("TDD", HANDED.plan);
    stop.abort();
    await attending;
    await ann.writeFile("tests/add.test.js", TESTS);
    await enter("IMPL", HANDED.tests);
    await ann.writeFile("src/add.js", CODE.replace("one + other", "0"));
    const error = await ann
      .requestTransition("REVIEW", HANDED.code as never)
      .catch((failed: unknown) => failed);
    const { blocked_by, test_run } = error as TransitionBlocked;
    expect(blocked_by).toEqual([
      {
        code: "gate_blocked",
        reason: expect.stringMatching(/^1 test\(s\) failed \(checked by /),
        fix: expect.any(String) as string,
        checks: expect.arrayContaining(["all_tests_pass", "tests_passed"]) as string[],
      },
    ]);
    expect(test_run).toMatchObject({ exit_code: 1, counts: { passed: 1, failed: 1 } });
    expect(test_run?.failed).toEqual([expect.stringMatching(/tests\/add\.test\.js.*adds numbers/)]);
    expect(test_run?.output).toContain("0 !== 3");
  });
});
