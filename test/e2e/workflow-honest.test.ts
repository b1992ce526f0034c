import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import type { JsonObject } from "@bylaw/kernel";
import { openDirectives } from "@bylaw/plugin-phases";
import { openGates } from "@bylaw/plugin-gates";
import {
  AGENT,
  CODE,
  HANDED,
  REVIEWS,
  TASK,
  TESTS,
  beginWalk,
  blockers,
  reasons,
} from "./workflow-walk-kit.ts";

it("a task goes from plan to end by real work, and back once from a rejected review (WF-80, WF-81, WF-82, WF-108, WF-112, WF-118, WF-119)", async () => {
  const walk = await beginWalk();
  const { move, use, observe, decide, review, run, contract } = walk;
  const goes = async (to: string, artifacts: JsonObject = {}): Promise<void> => {
    const decision = await move(to, artifacts);
    expect([to, decision.effect, reasons(decision)]).toEqual([to, "allow", expect.anything()]);
  };
  const does = async (tool: string, args: JsonObject): Promise<void> => {
    const decision = await use(tool, args);
    expect([tool, decision.effect, reasons(decision)]).toEqual([tool, "allow", expect.anything()]);
  };

  // PLAN: it reads, plans, and waits for approval.
  await goes("PLAN");
  await does("read_files", { path: "src/index.js" });
  expect(blockers(await move("TDD", HANDED.plan))).toEqual(["gate_pending"]);
  expect(openGates(run.view, contract)).toMatchObject([
    { task: TASK, gate: "plan_approval", agent: AGENT, to: "TDD", approvals: [] },
  ]);
  await decide("plan_approval", "paula", "approved");
  await goes("TDD", HANDED.plan);

  // TDD: it writes tests that fail, which the host observes.
  await does("write_files", { path: "tests/add.test.js", content: TESTS });
  await does("bash", { command: "npm test" });
  expect(blockers(await move("IMPL", HANDED.tests))).toEqual(["gate_blocked"]);
  expect(await observe()).toMatchObject({
    exit_code: 1,
    counts: { passed: 0, failed: 2, skipped: 0, errors: 0 },
    report_error: null,
  });
  await goes("IMPL", HANDED.tests);

  // IMPL: it writes code that makes them pass.
  expect(blockers(await move("REVIEW", HANDED.code))).toContain("gate_blocked");
  await does("write_files", { path: "src/add.js", content: CODE });
  expect(await observe()).toMatchObject({
    exit_code: 0,
    counts: { passed: 2, failed: 0, skipped: 0, errors: 0 },
  });
  await goes("REVIEW", HANDED.code);

  // REVIEW: five reviewers start, one finds an issue, and the task goes back.
  expect(openDirectives(run.view, { task: TASK }).map(({ model }) => model)).toEqual([...REVIEWS]);
  expect(blockers(await move("COMPLETE", HANDED.review()))).toContain("gate_pending");
  await review({ security: ["the second number is not checked"] });
  expect(
    blockers(await move("COMPLETE", HANDED.review(["the second number is not checked"]))),
  ).toContain("gate_blocked");
  await goes("IMPL");

  // IMPL again, then a review without issues, which a person approves.
  await does("edit_files", {
    path: "src/add.js",
    old_string: 'typeof one !== "number"',
    new_string: 'typeof one !== "number" || typeof other !== "number"',
  });
  expect(blockers(await move("REVIEW", HANDED.code))).toContain("gate_blocked");
  await observe();
  await goes("REVIEW", HANDED.code);
  await review();
  expect(blockers(await move("COMPLETE", HANDED.review()))).toEqual(["gate_pending"]);
  await decide("review_approved", "rita", "approved");
  await goes("COMPLETE", HANDED.review());

  // COMPLETE: the commit, and the end.
  await does("bash", { command: "git add src/add.js tests/add.test.js" });
  await does("bash", { command: "git commit -m 'Add two numbers'" });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: walk.folder, encoding: "utf8" }).trim();
  expect(git("log", "-1", "--format=%s")).toBe("Add two numbers");
  expect(git("status", "--porcelain")).toBe("");
  const { task, agent, fence } = walk.held;
  const ended = await walk.tasks.complete({
    task,
    agent,
    fence,
    artifacts: HANDED.done,
    host: { token: walk.token() },
  });
  expect([ended.applied, reasons(ended.decision)]).toEqual(["allow", expect.anything()]);
  expect((await walk.tasks.get(TASK)).status).toBe("completed");

  // The path, the evidence and the approvals are on record, in the store and in the file.
  const entered = await walk.events("phase_entered");
  expect(entered.map(({ details }) => details["to"])).toEqual([
    "PLAN",
    "TDD",
    "IMPL",
    "REVIEW",
    "IMPL",
    "REVIEW",
    "COMPLETE",
    "@completed",
  ]);
  const runs = await walk.events("test_run");
  expect(runs.map(({ details }) => [details["observed_by"], details["exit_code"]])).toEqual([
    ["bylaw", 1],
    ["bylaw", 0],
    ["bylaw", 0],
  ]);
  const decided = await walk.events("gate_decided");
  expect(
    decided.map(({ details }) => [details["gate"], details["by"], details["verdict"]]),
  ).toEqual([
    ["plan_approval", "paula", "approved"],
    ["review_approved", "rita", "approved"],
  ]);
  const all = await walk.events();
  expect(walk.text(".bylaw/log.jsonl").trim().split("\n")).toHaveLength(all.length);
  expect(existsSync(walk.path("src/add.js"))).toBe(true);
  // Nothing continues after the end.
  expect(blockers(await move("IMPL"))).toContain("phase_task_completed");
  expect((await use("bash", { command: "git commit --amend -m x" })).effect).toBe("deny");
});
