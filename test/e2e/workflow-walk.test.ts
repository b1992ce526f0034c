import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadContract, migrateContract } from "@bylaw/contract";
import { createKernel, type Decision, type JsonObject } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { artifacts } from "@bylaw/plugin-artifacts";
import { issueDirectives, phases } from "@bylaw/plugin-phases";
import { createSigner, grantToken, tokens } from "@bylaw/plugin-tokens";

const ORIGINAL = join(import.meta.dirname, "../../packages/contract/test/fixtures/agent_workflow.yaml");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-walk-")));
const contract = join(folder, "agent_workflow.yaml");
const keys = [{ id: "walk", env: "WALK_TEST_SECRET" }];
const at = "2026-01-02T10:00:00.000Z";

beforeAll(() => {
  process.env["WALK_TEST_SECRET"] = "a secret of this test that is long enough";
  const { text } = migrateContract(readFileSync(ORIGINAL, "utf8"), ORIGINAL);
  expect(text).toBeDefined();
  writeFileSync(contract, text ?? "");
  for (const name of ["src", "tests"]) mkdirSync(join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const count = { command: "npm test", skipped: 0, timestamp: at };
const red = { ...count, exit_code: 1, passed: 0, failed: 2 };
const green = { ...count, exit_code: 0, passed: 2, failed: 0 };
const plan = {
  title: "Add two numbers",
  acceptance_criteria: [{ criterion: "adds", how_to_verify: "npm test" }],
  implementation_steps: ["write it"],
  scope: { in_scope: ["src/add.ts"], out_of_scope: ["all else"] },
};
const scope = { in_scope: ["src/add.ts"], out_of_scope: ["all else"], constraints: ["no dependency"] };
const files = { test_files: [{ path: "tests/add.test.ts", covers: ["adds"] }], coverage: { acceptance_criteria_covered: 1 } };
const code = {
  files_changed: [{ path: "src/add.ts", change_type: "added" }],
  summary: "A function that adds two numbers and says so in its name.",
};
const reviews = Object.fromEntries(
  ["security", "quality", "consistency", "holistic", "vibe_coding"].map((name) => [name, { approved: true }]),
);
const review = { reviews, consolidated_issues: [], blocking_issues: [] };

async function begin() {
  const store = createMemoryStore();
  const plugins = [phases({ contract, elsewhere: ["gates"] }), artifacts({ contract }), tokens({ keys, contract })];
  const run = await openRun(createKernel({ plugins }), { run: "walk", store, now: () => at });
  const signer = createSigner({ keys, contract });
  const model = loadContract(contract);
  let phase: string | null = null;
  let token = "";
  const renew = async (): Promise<string> => {
    const allowed_tools = model.phases.find(({ id }) => id === phase)?.allowedTools ?? [];
    ({ token } = await grantToken(run, signer, { task: "t1", agent: "ann", phase, allowed_tools, at }));
    return token;
  };
  const move = async (to: string, handed: JsonObject = {}, fields: object = {}): Promise<Decision> => {
    const request = { agent: "ann", task: "t1", to, artifacts: handed, host: { token }, ...fields };
    const { decision } = await run.transition(request);
    if (decision.effect === "allow") {
      phase = to;
      await issueDirectives(run, model, { task: "t1" });
      await renew();
    }
    return decision;
  };
  const use = async (tool: string, args: JsonObject, fields: object = {}): Promise<Decision> => {
    const call = {
      id: "c",
      agent: "ann",
      task: "t1",
      tool,
      args,
      cwd: folder,
      workspace: folder,
      interactive: false,
      host: { token },
      ...fields,
    };
    return (await run.toolCall(call)).decision;
  };
  await renew();
  expect((await move("PLAN")).effect).toBe("allow");
  return { store, run, move, use, token: () => token };
}

const codesOf = ({ votes }: Decision): readonly string[] =>
  [...new Set(votes.filter(({ effect }) => effect === "deny").map((vote) => vote.code))].sort();

describe("a task under the five-phase contract", () => {
  it("goes from its plan to its end, back from a rejected review once (WF-108, WF-112, WF-118)", async () => {
    const { move, use, store } = await begin();
    const steps: readonly (readonly [to: string, handed: JsonObject, tool: string, args: JsonObject])[] = [
      ["TDD", { plan_document: plan, scope_definition: scope }, "write_files", { path: "tests/add.test.ts" }],
      ["IMPL", { test_files: files, test_run_result: red }, "bash", { command: "echo 'export {}' > src/add.ts && npm test" }],
      ["REVIEW", { implementation_files: code, test_run_result: green }, "read_files", { path: "src/add.ts" }],
      ["IMPL", {}, "edit_files", { path: "src/add.ts" }],
      ["REVIEW", { implementation_files: code, test_run_result: green }, "grep", { pattern: "add", path: "src" }],
      ["COMPLETE", { review_report: review }, "bash", { command: "git add src && git commit -m add" }],
    ];
    expect((await use("read_files", { path: "src" })).effect).toBe("allow");
    for (const [to, handed, tool, args] of steps) {
      const moved = await move(to, handed);
      expect([to, moved.effect, moved.reason]).toEqual([to, "allow", moved.reason]);
      const used = await use(tool, args);
      expect([to, tool, used.effect, used.code]).toEqual([to, tool, "allow", "rule_allowed"]);
    }
    const entered = (await store.events("walk", 0, 1_000)).filter(({ event_type }) => event_type === "phase_entered");
    expect(entered.map(({ details }) => details["to"])).toEqual(["PLAN", "TDD", "IMPL", "REVIEW", "IMPL", "REVIEW", "COMPLETE"]);
  });

  it("is not got past its phases by an agent that tries (defects 1 to 3, 8, WF-46, WF-73, WF-102)", async () => {
    const { run, store, move, use, token } = await begin();
    const early = token();

    // Edits in PLAN, by every door.
    const doors: readonly (readonly [string, JsonObject])[] = [
      ["write_files", { path: "src/a.ts" }],
      ["bash", { command: "cat <<'E' > src/a.ts\nx\nE" }],
      ["bash", { command: "sed -i s/a/b/ src/a.ts" }],
      ["bash", { command: "ls" }],
      ["Bash", { command: "ls" }],
      ["run_shell_command", { command: "tee src/a.ts" }],
      ["mcp__files__write_files", { path: "src/a.ts" }],
      ["apply_patch", { patch: "*** Begin Patch" }],
    ];
    for (const [tool, args] of doors) expect((await use(tool, args)).effect, tool).toBe("deny");
    expect((await use("write_files", { path: "src/a.ts" }, { phase: "IMPL" })).votes.map((vote) => vote.code)).toContain(
      "phase_tool_forbidden",
    );
    expect((await use("read_files", { path: "a" }, { server: "files" })).effect).toBe("deny");

    // A phase that is only claimed, a phase that is skipped, and artifacts that are none.
    expect(codesOf(await move("IMPL", { test_files: files, test_run_result: red }, { from: "TDD", phase: "TDD" }))).toEqual([
      "artifact_missing",
      "phase_transition_undeclared",
    ]);
    expect(codesOf(await move("COMPLETE", { review_report: review }, { from: "REVIEW" }))).toContain("phase_transition_undeclared");
    for (const odd of ["a plan", null, [], 7, { title: "Add two numbers" }, { ...plan, acceptance_criteria: [] }]) {
      expect(codesOf(await move("TDD", { plan_document: odd as never, scope_definition: scope })), JSON.stringify(odd)).toContain(
        "artifact_invalid",
      );
    }

    expect((await move("TDD", { plan_document: plan, scope_definition: scope })).effect).toBe("allow");
    // The token of an earlier phase opens nothing, and moves nothing back.
    expect(codesOf(await use("read_files", { path: "a" }, { host: { token: early } }))).toEqual(["token_superseded"]);
    expect(codesOf(await move("TDD", { plan_document: plan, scope_definition: scope }, { host: { token: early } }))).toEqual([
      "artifact_missing",
      "phase_transition_undeclared",
      "token_superseded",
    ]);
    for (const [tool, args] of [
      ["write_files", { path: "src/add.ts" }],
      ["edit_files", { path: "tests/../src/add.ts" }],
      ["bash", { command: "npm test; git commit -am x" }],
      ["bash", { command: "npm test > src/add.ts" }],
      ["bash", { command: 'node -e \'require("fs").writeFileSync("src/a","")\'' }],
    ] as const) {
      expect((await use(tool, args)).effect, JSON.stringify(args)).toBe("deny");
    }

    // Evidence that says of itself that it is good: RED has to be red, and nothing but its own fields count.
    for (const forged of [
      { ...green },
      { ...red, exit_code: "1" },
      { ...red, failed: 0, verified: true },
      { observed: true, status: "pass" },
    ]) {
      expect((await move("IMPL", { test_files: files, test_run_result: forged as never })).effect, JSON.stringify(forged)).toBe("deny");
    }
    expect((await move("IMPL", { test_files: {}, test_run_result: red })).effect).toBe("deny");
    expect((await move("IMPL", { test_files: files, test_run_result: red })).effect).toBe("allow");

    // What the agent is governed by is not its to write.
    for (const [tool, args] of [
      ["write_files", { path: "agent_workflow.yaml" }],
      ["edit_files", { path: ".orchestrator/schemas/plan.json" }],
      ["bash", { command: "rm -rf .orchestrator" }],
      ["bash", { command: "sed -i s/strict/advisory/ ./agent_workflow.yaml" }],
      ["bash", { command: "cp x .orchestrator/tool_audit.jsonl" }],
      ["bash", { command: "ln -sf x agent_workflow.yaml" }],
      ["bash", { command: "git checkout HEAD -- agent_workflow.yaml" }],
      ["bash", { command: "git commit -am early" }],
    ] as const) {
      expect((await use(tool, args)).effect, JSON.stringify(args)).toBe("deny");
    }

    expect((await move("REVIEW", { implementation_files: code, test_run_result: green })).effect).toBe("allow");
    // A review under another name, or with issues that block, opens nothing; an IMPL token would have written on.
    const bad = { ...review, blocking_issues: ["a hole"] };
    expect(codesOf(await move("COMPLETE", { review_report: bad, review_results: review }))).toEqual(["artifact_rule"]);
    expect(codesOf(await move("COMPLETE", { review_results: review }))).toEqual(["artifact_missing"]);
    expect((await use("write_files", { path: "src/add.ts" })).effect).toBe("deny");

    // Every no is on record, with its reason.
    const log = await store.events("walk", 0, 1_000);
    const denied = log.filter(({ event_type }) => event_type === "tool_denied" || event_type === "transition_blocked");
    expect(denied.length).toBeGreaterThan(35);
    expect(denied.every(({ details }) => (details["decision"] as JsonObject)["effect"] === "deny")).toBe(true);
    expect(JSON.stringify(log)).not.toContain(early);
    expect(JSON.stringify(log)).not.toContain("check_failed");
    await run.close();
  });

  it("may be under the original contract as it is", async () => {
    const kernel = createKernel({
      plugins: [phases({ contract: ORIGINAL, elsewhere: ["gates", "tokens"] }), artifacts({ contract: ORIGINAL })],
    });
    const call = { hook: "beforeToolCall", task: "t1", phase: "TDD", cwd: folder, workspace: folder } as const;
    const effect = async (tool: string, args: JsonObject): Promise<string> =>
      (await kernel.decide(await kernel.prepare({ ...call, tool, args }))).code;
    expect(await effect("edit_files", { path: "src/a.ts" })).toBe("phase_path_forbidden");
    expect(await effect("edit_files", { path: "tests/a.ts" })).toBe("rule_allowed");
    expect(await effect("bash", { command: "git status" })).toBe("phase_command_forbidden");
  });
});
