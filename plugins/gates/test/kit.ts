import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { loadContract, type Contract } from "@bylaw/contract";
import { contractTree, frozenFiles, type TestRun } from "@bylaw/evidence";
import { allow, createKernel, type Config, type Decision, type JsonObject } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { pluginOf, temporaryFolder } from "@bylaw/testing";
import { decideGate, gates } from "../src/index.ts";

type Vote = Decision["votes"][number];

export const CONTRACT = join(import.meta.dirname, "fixtures/agent_workflow.yaml");
export const TEXT = readFileSync(CONTRACT, "utf8");

/** Allows every transition without objections, and records reviewers' reports like a host. */
export const opens = pluginOf(
  "opens",
  (kernel) => {
    kernel.hooks.onTransition.tap("open", () => allow("open"));
    kernel.hooks.beforeToolCall.tap("open", () => allow("open"));
    kernel.event({ name: "directive_issued", details: z.looseObject({}) });
    kernel.event({ name: "directive_completed", details: z.looseObject({}) });
  },
  { grants: true },
);

interface Asked {
  readonly decision: Decision;
  /** `code check` of everything that blocks, sorted. */
  readonly blocked: readonly string[];
  /** The same for notes. */
  readonly told: readonly string[];
  readonly text: string;
}

export interface Bench {
  readonly folder: string;
  readonly contract: Contract;
  readonly run: Run;
  readonly clock: { now: string };
  readonly put: (path: string, text: string) => void;
  readonly ask: (to: string, artifacts: object, fields?: object) => Promise<Asked>;
  /** Records a test run like a host. */
  readonly observe: (
    came: Partial<Record<"passed" | "failed" | "skipped", readonly string[]>>,
    fields?: Partial<TestRun>,
  ) => Promise<void>;
  /**
   * Moves the task to a phase with everything that is required, from the start or from its phase; calls `entered` for each phase on
   * the way.
   */
  readonly goTo: (
    phase: string,
    options?: { readonly from?: string; readonly entered?: (phase: string) => void },
  ) => Promise<void>;
  readonly approve: (gate: string, by: string, role?: string) => Promise<unknown>;
  /** Starts the reviewers of the phase and has them report. */
  readonly review: (fields?: JsonObject, agents?: readonly string[]) => Promise<void>;
}

export interface BenchOptions {
  readonly text?: string;
  readonly store?: Store;
  readonly options?: object;
  readonly config?: Partial<Config>;
  readonly task?: string;
  readonly run?: string;
  readonly folder?: string;
}

export const plan = {
  title: "A greeting for everybody",
  acceptance_criteria: [
    { criterion: "It greets by name", how_to_verify: "run the tests" },
    { id: "EMPTY", criterion: "It greets nobody politely", how_to_verify: "run the tests" },
  ],
  implementation_steps: ["write it"],
  scope: { in_scope: ["src/**"], out_of_scope: ["src/secret/**"] },
};
export const scope = {
  in_scope: ["src/**"],
  out_of_scope: ["src/secret/**"],
  constraints: ["no new dependency"],
};
export const planned = { plan_document: plan, scope_definition: scope };
export const tests = {
  test_files: [{ path: "tests/a.test.js", covers: ["it greets  by name", "empty"] }],
  coverage: {},
};
export const result = {
  command: "npm test",
  exit_code: 1,
  passed: 0,
  failed: 2,
  skipped: 0,
  timestamp: "2026-01-01T00:00:00Z",
};
export const tested = { test_files: tests, test_run_result: result };
export const built = {
  implementation_files: {
    files_changed: [{ path: "src/a.js", change_type: "added" }],
    summary: "It greets everybody.",
  },
  test_run_result: { ...result, exit_code: 0, passed: 2, failed: 0 },
};
export const reviewed = {
  review_report: {
    reviews: { security: { ok: true }, quality: { ok: true } },
    consolidated_issues: [],
    blocking_issues: [],
  },
};
export const GREEN = { passed: ["greets", "greets nobody"] } as const;
export const RED = { failed: ["greets", "greets nobody"] } as const;
const TEST_FILE =
  'import assert from "node:assert";\nimport { greet } from "../src/a.js";\nassert.equal(greet("Ann"), "Hello Ann");\n';

/** A workspace with the contract in it, and a run over it. */
export async function bench({
  text = TEXT,
  store,
  options = {},
  config = {},
  task = "t1",
  run: name = "r1",
  folder = temporaryFolder(),
}: BenchOptions = {}): Promise<Bench> {
  const file = join(folder, "agent_workflow.yaml");
  const put: Bench["put"] = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put("agent_workflow.yaml", text);
  put("tests/a.test.js", TEST_FILE);
  const checks =
    (options as { readonly checks?: readonly { readonly name: string }[] }).checks ?? [];
  const contract = loadContract(file, { checks: checks.map((check) => check.name) });
  const clock = { now: "2026-01-01T10:00:00.000Z" };
  const kernel = createKernel({
    ...config,
    plugins: [
      opens,
      gates({ contract: file, workspace: folder, ...options }),
      ...(config.plugins ?? []),
    ],
  });
  const run = await openRun(kernel, {
    run: name,
    now: () => clock.now,
    ...(store === undefined ? {} : { store }),
  });

  const ask: Bench["ask"] = async (to, artifacts, fields = {}) => {
    const { decision } = await run.transition({
      agent: "ann",
      task,
      to,
      artifacts: artifacts as JsonObject,
      host: { workspace: folder },
      ...fields,
    });
    const own = decision.votes.filter(({ plugin }) => plugin === "@bylaw/plugin-gates");
    const line = ({ code, rule }: Vote): string =>
      `${code} ${rule?.name.replace(/^\w+\.(gates\.\w+|required_artifacts)\./, "")}`;
    const lines = (warning: boolean): readonly string[] =>
      own
        .filter(({ severity }) => (severity === "warning") === warning)
        .map(line)
        .sort();
    return {
      decision,
      blocked: lines(false),
      told: lines(true),
      text: own.map(({ reason }) => reason).join("\n"),
    };
  };
  const observe: Bench["observe"] = async (came, fields = {}) => {
    const tree = await contractTree(contract, folder);
    const { passed = [], failed = [], skipped = [] } = came;
    const details = {
      ...{
        observed_by: "host",
        argv: contract.evidence.testCommand?.argv ?? ["npm", "test"],
        exit_code: failed.length > 0 ? 1 : 0,
        signal: null,
      },
      ...{
        timed_out: false,
        duration_ms: 12,
        counts: {
          passed: passed.length,
          failed: failed.length,
          skipped: skipped.length,
          errors: 0,
        },
      },
      ...{
        report_error: null,
        tests: { passed, failed, skipped },
        coverage: 91,
        tree_before: tree.digest,
        tree_after: tree.digest,
      },
      ...{ frozen: frozenFiles(contract, tree), contract: contract.digest, ...fields },
    };
    await run.record([
      { event_type: "test_run", agent_id: null, task_id: task, details: details as JsonObject },
    ]);
  };
  const approve: Bench["approve"] = (gate, by, role = "human") =>
    decideGate(run, { task, gate, by, role, verdict: "approved" });
  const review: Bench["review"] = async (fields = {}, agents = ["rex", "quinn"]) => {
    for (const [at, model] of ["security", "quality"].entries()) {
      const directive = `${run.head}.${at}`;
      const who = { agent_id: null, task_id: task };
      await run.record([
        {
          ...who,
          event_type: "directive_issued",
          details: {
            directive,
            action: "spawn",
            agent_type: "review",
            model,
            parallel: true,
            wait: true,
          },
        },
      ]);
      const details = {
        directive,
        ok: true,
        agent: agents[at] ?? "rex",
        verdict: "approved",
        blocking_issues: [],
        ...fields,
      };
      await run.record([{ ...who, event_type: "directive_completed", details }]);
    }
  };
  const must = async (to: string, artifacts: object): Promise<void> => {
    const { decision, text: said } = await ask(to, artifacts);
    if (decision.applied !== "allow") throw new Error(`${to}: ${decision.reason}\n${said}`);
  };
  const steps: Readonly<Record<string, () => Promise<void>>> = {
    PLAN: () => must("PLAN", {}),
    TDD: async () => {
      await ask("TDD", planned);
      await approve("plan_approval", "Pat");
      await approve("plan_approval", "Olga", "orchestrator");
      await must("TDD", planned);
    },
    IMPL: async () => {
      await observe(RED);
      await must("IMPL", tested);
    },
    REVIEW: async () => {
      put("src/a.js", "export const greet = (name) => `Hello ${name}`;\n");
      await observe(GREEN);
      await must("REVIEW", built);
    },
  };
  const goTo: Bench["goTo"] = async (phase, { from, entered } = {}) => {
    const ids = Object.keys(steps);
    for (const [id, step] of Object.entries(steps).slice(
      from === undefined ? 0 : ids.indexOf(from) + 1,
    )) {
      await step();
      entered?.(id);
      if (id === phase) return;
    }
  };
  return { folder, contract, run, clock, put, ask, observe, goTo, approve, review };
}
