import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { COMPLETED_PHASE, loadContract, type Contract } from "@bylaw/contract";
import { observeTests, type TestRun } from "@bylaw/evidence";
import { createKernel, type Decision, type JsonObject } from "@bylaw/kernel";
import { openRun, phaseOf, currentPhases, type Outcome, type Run } from "@bylaw/log";
import { eventLog } from "@bylaw/plugin-event-log";
import { decideGate } from "@bylaw/plugin-gates";
import { completeDirective, issueDirectives, openDirectives } from "@bylaw/plugin-phases";
import { createTasks, type HeldTask, type Tasks } from "@bylaw/plugin-tasks";
import { createSigner, grantToken } from "@bylaw/plugin-tokens";
import { tdd } from "@bylaw/ruleset-tdd";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { temporaryFolder } from "@bylaw/testing";
import { CODE, HANDED, TESTS } from "./walk-artifacts.ts";

export { CODE, HANDED, REVIEWS, TESTS } from "./walk-artifacts.ts";

/** The contract of the walks. */
export const SHIPPED = readFileSync(
  join(import.meta.dirname, "../../rulesets/tdd/agent_workflow.yaml"),
  "utf8",
);
const keys = [{ id: "walk", env: "ORCHESTRATOR_JWT_SECRET" }];
process.env["ORCHESTRATOR_JWT_SECRET"] = "a secret of these walks that is long enough";

export const TASK = "t1";
export const AGENT = "ann";

/** A task under the shipped contract in its own repository. The agent's allowed calls are really carried out. */
export interface Walk {
  readonly folder: string;
  readonly file: string;
  readonly contract: Contract;
  readonly run: Run;
  readonly tasks: Tasks;
  readonly held: HeldTask;
  readonly phase: () => string | undefined;
  readonly token: () => string;
  readonly path: (name: string) => string;
  readonly text: (name: string) => string;
  /** Writes a file as the host, not as the agent. */
  readonly put: (name: string, text: string) => void;
  /** Decides about a call of the agent, which is not carried out. */
  readonly ask: (tool: string, args: JsonObject, fields?: object) => Promise<Outcome>;
  /** The agent makes a call, which is carried out if it is allowed. */
  readonly use: (tool: string, args: JsonObject, fields?: object) => Promise<Decision>;
  /** The agent requests a transition. */
  readonly move: (to: string, artifacts?: JsonObject, fields?: object) => Promise<Decision>;
  /** The host runs the tests. */
  readonly observe: () => Promise<TestRun>;
  readonly decide: (
    gate: string,
    by: string,
    verdict: "approved" | "rejected",
    role?: string,
  ) => Promise<unknown>;
  /** The started reviewers report. */
  readonly review: (issues?: Readonly<Record<string, readonly string[]>>) => Promise<void>;
  readonly events: (
    type?: string,
  ) => Promise<
    readonly {
      readonly event_type: string;
      readonly agent_id: string | null;
      readonly details: JsonObject;
    }[]
  >;
}

/** The codes of everything that blocks, each once. */
export const blockers = ({ votes }: Decision): readonly string[] =>
  [
    ...new Set(
      votes
        .filter(({ effect, severity }) => effect !== "allow" && severity !== "warning")
        .map(({ code }) => code),
    ),
  ].sort();

/** All reasons of a decision. */
export const reasons = ({ votes }: Decision): string =>
  votes.map(({ reason }) => reason).join("\n");

const COMMITTER = `[user]
name = Ann
email = ann@example.org
[commit]
gpgsign = false
`;

/** Commits what is in a folder to a new repository there. */
export function commitAll(folder: string): void {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  appendFileSync(join(folder, ".git/config"), COMMITTER);
  git("add", ".");
  git("commit", "--quiet", "--message=begin");
}

export async function beginWalk(
  change: (contract: string) => string = (text) => text,
): Promise<Walk> {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  const file = path("agent_workflow.yaml");
  put("agent_workflow.yaml", change(SHIPPED));
  put(
    "package.json",
    `${JSON.stringify({ name: "adder", type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
  );
  put(".gitignore", ".bylaw/\n.orchestrator/\nnode_modules/\n");
  put("src/index.js", "// The adder.\n");
  commitAll(folder);

  const contract = loadContract(file);
  const store = await openSqliteStore(path(".bylaw/store.db"));
  const kernel = createKernel({
    extends: [tdd({ contract: file, workspace: folder, keys })],
    plugins: [eventLog({ file: path(".bylaw/log.jsonl") })],
  });
  const run = await openRun(kernel, { run: "walk", store });
  onTestFinished(async () => {
    await run.close();
    await store.close();
  });

  const signer = createSigner({ contract: file, keys });
  const board = createTasks(run, contract);
  await board.create({ id: TASK, title: "Add two numbers" });
  const held = await board.claim({ agent: AGENT });
  if (held === undefined) throw new Error("No task was claimed");
  const phase = (): string | undefined => phaseOf(run.view(currentPhases), TASK);
  let token = "";
  const renew = async (): Promise<void> => {
    const now = phase();
    const allowed_tools = contract.phases.find(({ id }) => id === now)?.allowedTools ?? [];
    ({ token } = await grantToken(run, signer, {
      task: TASK,
      agent: AGENT,
      phase: now ?? null,
      allowed_tools,
    }));
  };
  const host = (): JsonObject => ({ token, workspace: folder });

  const move: Walk["move"] = async (to, handed = {}, fields = {}) => {
    const { decision } = await run.transition({
      agent: AGENT,
      task: TASK,
      to,
      artifacts: handed,
      host: host(),
      ...fields,
    });
    if (decision.effect !== "allow") return decision;
    await issueDirectives(run, contract, { task: TASK });
    if (contract.phases.some(({ id }) => id === phase())) await renew();
    return decision;
  };
  let calls = 0;
  const ask: Walk["ask"] = (tool, args, fields = {}) =>
    run.toolCall({
      id: `call-${++calls}`,
      agent: AGENT,
      task: TASK,
      tool,
      args,
      cwd: folder,
      workspace: folder,
      interactive: false,
      host: host(),
      ...fields,
    });
  const use: Walk["use"] = async (tool, args, fields = {}) => {
    const { decision, applied } = await ask(tool, args, fields);
    if (applied !== "allow") return decision;
    const ok = act(folder, tool, args);
    await run.toolResult({ id: `call-${calls}`, tool, agent: AGENT, task: TASK, ok, result: null });
    return decision;
  };
  const review: Walk["review"] = async (issues = {}) => {
    for (const { directive, model } of openDirectives(run.view, { task: TASK })) {
      if (model === undefined) continue;
      const blocking_issues = [...(issues[model] ?? [])];
      const verdict = blocking_issues.length > 0 ? ("rejected" as const) : ("approved" as const);
      await completeDirective(run, {
        task: TASK,
        directive,
        ok: true,
        agent: `reviewer-${model}`,
        verdict,
        blocking_issues,
        summary: "looked at",
      });
    }
  };
  await renew();
  return {
    ...{
      folder,
      file,
      contract,
      run,
      tasks: board,
      held,
      phase,
      path,
      put,
      move,
      ask,
      use,
      review,
    },
    token: () => token,
    text: (name) => readFileSync(path(name), "utf8"),
    observe: async () =>
      (await observeTests(run, contract, { task: TASK, agent: AGENT, workspace: folder })).evidence,
    decide: (gate, by, verdict, role = "human") =>
      decideGate(run, { task: TASK, gate, by, role, verdict }),
    events: async (type) =>
      (await store.events("walk", 0, 10_000)).filter(
        ({ event_type }) => type === undefined || event_type === type,
      ),
  };
}

// Carries out an allowed call. Any shell serves as the agent's own.
function act(folder: string, tool: string, args: JsonObject): boolean {
  const file = join(folder, String(args["path"] ?? ""));
  if (tool === "write_files") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, String(args["content"] ?? ""));
  } else if (tool === "edit_files") {
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(String(args["old_string"]), String(args["new_string"])),
    );
  } else if (tool === "bash" || tool === "git_commit") {
    return (
      spawnSync("bash", ["-c", String(args["command"])], { cwd: folder, encoding: "utf8" })
        .status === 0
    );
  }
  return true;
}

async function enter(walk: Walk, to: string, artifacts: JsonObject = {}): Promise<void> {
  const decision = await walk.move(to, artifacts);
  if (decision.effect !== "allow") throw new Error(`${to}: ${reasons(decision)}`);
}

/** What an honest agent does to enter each phase from the one before. */
export const ENTER = {
  PLAN: (walk: Walk) => enter(walk, "PLAN"),
  async TDD(walk: Walk) {
    await walk.move("TDD", HANDED.plan);
    await walk.decide("plan_approval", "paula", "approved");
    await enter(walk, "TDD", HANDED.plan);
  },
  async IMPL(walk: Walk) {
    await walk.use("write_files", { path: "tests/add.test.js", content: TESTS });
    await walk.observe();
    await enter(walk, "IMPL", HANDED.tests);
  },
  async REVIEW(walk: Walk) {
    await walk.use("write_files", { path: "src/add.js", content: CODE });
    await walk.observe();
    await enter(walk, "REVIEW", HANDED.code);
  },
  async COMPLETE(walk: Walk) {
    await walk.review();
    await walk.move("COMPLETE", HANDED.review());
    await walk.decide("review_approved", "rita", "approved");
    await enter(walk, "COMPLETE", HANDED.review());
  },
  async [COMPLETED_PHASE](walk: Walk) {
    await walk.use("bash", { command: "git add src/add.js tests/add.test.js" });
    await walk.use("bash", { command: "git commit -m 'Add two numbers'" });
    await enter(walk, COMPLETED_PHASE, HANDED.done);
  },
};

/** Takes a walk to a phase like an honest agent. */
export async function walkTo(walk: Walk, phase: keyof typeof ENTER): Promise<void> {
  for (const [name, begin] of Object.entries(ENTER)) {
    await begin(walk);
    if (name === phase) return;
  }
}

/** Checks that none of these calls is allowed or carried out. */
export async function refusesAll(
  { use, phase }: Walk,
  calls: readonly (readonly [tool: string, args: JsonObject])[],
): Promise<void> {
  const before = phase();
  for (const [tool, args] of calls) {
    const decision = await use(tool, args);
    expect([tool, args, decision.effect], reasons(decision)).toEqual([tool, args, "deny"]);
  }
  expect(phase()).toBe(before);
}
