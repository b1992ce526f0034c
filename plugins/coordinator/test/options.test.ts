import { createMemoryStore } from "@bylaw/log";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { coordinator } from "../src/index.ts";
import {
  auditor,
  complete,
  critic,
  dispatched,
  rulesBroken,
  open,
  pass,
  plain,
  ready,
  whole,
  refuses,
} from "./kit.ts";

const OTHER = "11111111-1111-4111-8111-111111111111";
const end = (total_tasks: number) =>
  plain("workflow_complete", { total_tasks, compactions: 0, session_resumes: 0 });
const planned = (...tasks: readonly string[]) => coordinator({ tasks: [...tasks] });

describe("option `tasks`", () => {
  it("refuses an event about any other task, wherever the event names it", async () => {
    const run = await open(undefined, {}, planned("task-1", "__proto__"));
    await run.record([dispatched("task-1"), dispatched("__proto__", "dev-2")]);
    const blocked = (tasks: readonly string[]) =>
      plain("infrastructure_blocked", {
        reported_by: "dev",
        issue_type: "tests",
        blocked_tasks: tasks,
      });
    for (const other of ["task-2", "t\u0430sk-1", "task-1 ", "constructor"]) {
      await refuses("TASK_NOT_PLANNED", run, dispatched(other));
      await refuses("TASK_NOT_PLANNED", run, { ...dispatched(other), task_id: null });
      await refuses("TASK_NOT_PLANNED", run, blocked(["task-1", other]));
    }
    await run.record([blocked(["task-1"])]);
  });

  it("prevents a look-alike from being counted as a task of the plan", async () => {
    const plan = { file: "plan.md", total_tasks: 2 };
    const loose = await open(undefined, { plan });
    await loose.record([...whole("task-1"), ...whole("t\u0430sk-1"), end(2)]);
    const strict = await open(undefined, { plan }, planned("task-1", "task-2"));
    await refuses("TASK_NOT_PLANNED", strict, ...whole("task-1"), ...whole("t\u0430sk-1"), end(2));
  });

  it("lets the workflow complete when every task is, also after a resume", async () => {
    const store = createMemoryStore();
    await (await open(store, {}, planned("task-1", "task-2"))).record(whole("task-1"));
    const run = await open(store, {}, planned("task-1", "task-2", "task-2"));
    await refuses("PLAN_NOT_COMPLETE", run, end(0));
    await run.record([auditor("task-1"), complete("task-1")]);
    await refuses("PLAN_NOT_COMPLETE", run, end(1));
    await run.record([...whole("task-2"), end(2)]);
    expect(await rulesBroken(store)).toEqual([]);
  });

  it("trusts a log that begins with a resume about how many tasks were complete before", async () => {
    const store = createMemoryStore();
    const counts = {
      previous_session_id: OTHER,
      state_saved_at: null,
      in_progress_tasks_count: 0,
      pending_audit_count: 0,
    };
    const resumed = {
      ...plain("session_resumed", { ...counts, completed_tasks_count: 1 }),
      timestamp: "2026-01-17T09:00:00Z",
      session_id: OTHER,
    };
    await store.commit({ run: "r1", events: [resumed], seen: 0 });
    const run = await open(store, {}, planned("task-1", "task-2"));
    expect((await store.events("r1", 1, 1))[0]?.details).toMatchObject({
      completed_tasks_count: 1,
    });
    await refuses("PLAN_NOT_COMPLETE", run, end(1));
    await run.record([dispatched("task-1")]);
    await refuses("PLAN_NOT_COMPLETE", run, end(1));
    await run.record([
      ready("task-1"),
      critic("task-1"),
      pass("task-1"),
      auditor("task-1"),
      complete("task-1"),
      end(2),
    ]);
  });

  it("ignores events without a task, and those of the run itself", async () => {
    const run = await open(undefined, {}, planned("task-1"));
    await run.record([plain("usage_check", { utilisation: 1, remaining: 1, resets_at: null })]);
    expect((await run.toolCall({ tool: "read_file", args: {}, task: "task-9" })).applied).toBe(
      "allow",
    );
  });

  it("allows a log to continue after a task left the plan", async () => {
    const store = createMemoryStore();
    await (
      await open(store, {}, planned("old", "done", "new"))
    ).record([dispatched("old"), ...whole("done")]);
    const run = await open(store, {}, planned("new"));
    expect(
      (await store.events("r1", 8, 10)).map(({ event_type, task_id }) => [event_type, task_id]),
    ).toEqual([
      ["session_resumed", null],
      ["task_restarted_on_resume", "old"],
      ["task_reverification_required", "done"],
    ]);
    await refuses("TASK_NOT_PLANNED", run, dispatched("old"));
    await run.record([dispatched("new")]);
    expect(await rulesBroken(store)).toEqual([]);
  });
});

it("option `own_work` lets an agent review and audit its own work if set to `allow`", async () => {
  const store = createMemoryStore();
  const run = await open(store, {}, coordinator({ own_work: "allow" }));
  await run.record([
    dispatched("t", "a"),
    ready("t", "a"),
    critic("t", "a"),
    pass("t", "a"),
    auditor("t", "a"),
    complete("t", "a"),
  ]);
  expect(await rulesBroken(store)).toEqual([]);
});

it("refuses options that it does not know, and values that they cannot have", () => {
  const wrong = readCases<object>(import.meta, "wrong");
  for (const options of wrong) {
    expect(() => coordinator(options)).toFailWith("BYLAW_OPTIONS_INVALID");
  }
});
