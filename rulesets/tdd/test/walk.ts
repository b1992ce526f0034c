import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { COMPLETED_PHASE, loadContract } from "@bylaw/contract";
import { observeTests } from "@bylaw/evidence";
import { createKernel, type Decision, type JsonObject } from "@bylaw/kernel";
import { createMemoryStore, currentPhases, openRun, phaseOf, type Run } from "@bylaw/log";
import { decideGate } from "@bylaw/plugin-gates";
import { completeDirective, issueDirectives, openDirectives } from "@bylaw/plugin-phases";
import { createTasks } from "@bylaw/plugin-tasks";
import { createSigner, grantToken } from "@bylaw/plugin-tokens";
import { tdd } from "../src/index.ts";

export const SHIPPED = join(import.meta.dirname, "../agent_workflow.yaml");
const who = { agent: "ann", task: "t1" } as const;
const at = "2026-01-02T10:00:00.000Z";

/** A small project with the shipped contract, and one task of one agent. */
export interface Walk {
  readonly folder: string;
  readonly run: Run;
  readonly phase: () => string | undefined;
  readonly call: (tool: string, args: JsonObject) => Promise<Decision>;
  /** Does the work of the current phase honestly and requests the next phase. */
  readonly onwards: () => Promise<Decision>;
  readonly end: () => Promise<void>;
}

const write = (folder: string, name: string, text: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

/** Creates a folder with a small project. */
export function project(contract = SHIPPED): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-tdd-")));
  copyFileSync(contract, join(folder, "agent_workflow.yaml"));
  write(folder, "package.json", '{ "name": "adder", "type": "module" }\n');
  write(folder, "src/index.js", "// The adder.\n");
  return folder;
}

export async function beginWalk(): Promise<Walk> {
  const folder = project();
  const configFile = join(folder, "bylaw.config.ts");
  const file = join(folder, "agent_workflow.yaml");
  process.env["ORCHESTRATOR_JWT_SECRET"] ??= "a secret of these tests that is long enough";
  const run = await openRun(createKernel({ extends: [tdd()] }, { configFile }), {
    run: "walk",
    store: createMemoryStore(),
  });
  const contract = loadContract(file);
  const signer = createSigner({ contract: file });
  const tasks = createTasks(run, contract);
  await tasks.create({ id: who.task, title: "Add two numbers" });
  await tasks.claim({ agent: who.agent });
  const phase = () => phaseOf(run.view(currentPhases), who.task);
  let token = "";
  const renew = async (): Promise<void> => {
    const entered = contract.phases.find(({ id }) => id === phase());
    ({ token } = await grantToken(run, signer, {
      ...who,
      phase: entered?.id ?? null,
      allowed_tools: entered?.allowedTools ?? [],
    }));
  };
  const host = (): JsonObject => ({ token, workspace: folder });
  const move = async (to: string, artifacts: JsonObject = {}): Promise<Decision> => {
    const { decision } = await run.transition({ ...who, to, artifacts, host: host() });
    if (decision.effect === "allow") {
      await issueDirectives(run, contract, { task: who.task });
      if (to !== COMPLETED_PHASE) await renew();
    }
    return decision;
  };
  await renew();
  return {
    folder,
    run,
    phase,
    call: async (tool, args) =>
      (
        await run.toolCall({
          ...who,
          id: "c",
          tool,
          args,
          cwd: folder,
          workspace: folder,
          interactive: false,
          host: host(),
        })
      ).decision,
    async onwards() {
      const test = () => observeTests(run, contract, { ...who, workspace: folder });
      const approve = (gate: string) =>
        decideGate(run, { task: who.task, gate, by: "paula", role: "human", verdict: "approved" });
      switch (phase()) {
        case undefined:
          return move("PLAN");
        case "PLAN":
          await move("TDD", PLAN);
          await approve("plan_approval");
          return move("TDD", PLAN);
        case "TDD":
          write(folder, "tests/add.test.js", TESTS);
          await test();
          return move("IMPL", RED);
        case "IMPL":
          write(folder, "src/add.js", "export const add = (one, other) => one + other;\n");
          await test();
          return move("REVIEW", GREEN);
        case "REVIEW":
          for (const { directive, model } of openDirectives(run.view, { task: who.task }))
            await completeDirective(run, {
              task: who.task,
              directive,
              ok: true,
              agent: `reviewer-${model}`,
              verdict: "approved",
            });
          await move("COMPLETE", REVIEW);
          await approve("review_approved");
          return move("COMPLETE", REVIEW);
        default:
          return move(COMPLETED_PHASE, DONE);
      }
    },
    async end() {
      await run.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const TESTS = `import test from "node:test";
import assert from "node:assert";
test("adds numbers", async () => {
  const { add } = await import("../src/add.js");
  assert.strictEqual(add(1, 2), 3);
});
`;

const scope = { in_scope: ["src/add.js"], out_of_scope: ["all else"] };
const PLAN: JsonObject = {
  plan_document: {
    title: "Add two numbers",
    acceptance_criteria: [{ criterion: "adds numbers", how_to_verify: "node --test" }],
    implementation_steps: ["write src/add.js"],
    scope,
  },
  scope_definition: { ...scope, constraints: ["no dependency"] },
};
const result = { command: "node --test", skipped: 0, timestamp: at };
const RED: JsonObject = {
  test_files: {
    test_files: [{ path: "tests/add.test.js", covers: ["adds numbers"] }],
    coverage: { acceptance_criteria_covered: ["adds numbers"] },
  },
  test_run_result: { ...result, exit_code: 1, passed: 0, failed: 1 },
};
const GREEN: JsonObject = {
  implementation_files: {
    files_changed: [{ path: "src/add.js", change_type: "added" }],
    summary: "A function that adds two numbers, as the plan has it.",
  },
  test_run_result: { ...result, exit_code: 0, passed: 1, failed: 0 },
};
const REVIEW: JsonObject = {
  review_report: {
    reviews: Object.fromEntries(
      ["security", "quality", "consistency", "holistic", "vibe_coding"].map((name) => [
        name,
        { approved: true },
      ]),
    ),
    consolidated_issues: [],
    blocking_issues: [],
  },
};
const DONE: JsonObject = {
  completion_summary: {
    summary:
      "The adder adds two numbers: it was planned, its test failed before the code was there and passes now, and five reviews were fine.",
    files_changed: ["src/add.js", "tests/add.test.js"],
    tests_added: 1,
    acceptance_criteria_met: ["adds numbers"],
  },
};
