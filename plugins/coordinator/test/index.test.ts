import { createKernel } from "@bylaw/kernel";
import { COORDINATOR_TYPES, createMemoryStore, type Run } from "@bylaw/log";
import { describeExamples, readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { coordinator, coordinatorState, coordinatorTasks } from "../src/index.ts";
import {
  auditor,
  complete,
  critic,
  dispatched,
  ended,
  rulesBroken,
  open,
  pass,
  plain,
  ready,
  refusal,
  reviewed,
  typesIn,
  whole,
  type Given,
  refuses,
} from "./kit.ts";

describeExamples(examples, { describe, it });

const blocked = plain("infrastructure_blocked", {
  reported_by: "dev",
  issue_type: "tests",
  blocked_tasks: ["t"],
});
const restored = plain("infrastructure_restored", { attempts_used: 1, fixes_applied: [] });
const health = (event_type: string, details: object = {}): Given => ({
  ...plain(event_type, { agent_id: "health", ...details }),
  agent_id: "health",
});
const end = (total_tasks: number): Given =>
  plain("workflow_complete", { total_tasks, compactions: 0, session_resumes: 0 });
const statusOf = (run: Run, task = "t"): string | undefined =>
  coordinatorTasks(run.view).get(task)?.status;

describe("the types of events", () => {
  it("are the 53 of the catalogue", () => {
    const { events } = createKernel({ plugins: [coordinator()] }).declared;
    expect(events).toEqual(COORDINATOR_TYPES);
    expect(events.length).toBe(53);
  });

  it("are checked when they are recorded, even if they change between two reads", async () => {
    const store = createMemoryStore();
    const run = await open(store);
    let readings = 0;
    const blocked_by = {
      enumerable: true,
      get: () => ((readings += 1) === 1 ? [] : { anything: 1 }),
    };
    const details = Object.defineProperty({ ...dispatched().details }, "blocked_by", blocked_by);
    await run.record([{ ...dispatched(), details }]);
    expect((await store.events("r1", 1, 1))[0]?.details).toEqual(dispatched().details);
  });
});

describe("the life of a task", () => {
  it("can be recorded from its dispatch to the end of the workflow", async () => {
    const store = createMemoryStore();
    const run = await open(store, { plan: { file: "plan.md", total_tasks: 1 } });
    for (const event of [...whole(), end(1)]) await run.record([event]);
    expect(statusOf(run)).toBe("complete");
    expect(await rulesBroken(store)).toEqual([]);
  });

  it.each(readCases<[string, string, readonly Given[], Given]>(import.meta, "refuses"))(
    "refuses %s",
    async (_, rule, before, event) => {
      const store = createMemoryStore();
      const run = await open(store);
      if (before.length > 0) await run.record(before);
      const types = await typesIn(store);
      expect(await refusal(run.record([event]))).toBe(`BYLAW_EVENT_REFUSED ${rule}`);
      expect(await typesIn(store)).toEqual(types);
      expect(await rulesBroken(store)).toEqual([]);
    },
  );

  it("continues after a refusal as if the event never came", async () => {
    const store = createMemoryStore();
    const run = await open(store);
    await run.record(reviewed());
    await refusal(run.record([complete("t", "dev")]));
    await run.record([auditor(), complete()]);
    expect(statusOf(run)).toBe("complete");
  });

  it("records what is only unusual", async () => {
    const store = createMemoryStore();
    const run = await open(store);
    const compaction = plain("compaction_start", { compaction_number: 1, context_remaining: 5 });
    await run.record([
      compaction,
      plain("compaction_complete", { compaction_number: 1, full_reload: true }),
    ]);
    expect(await rulesBroken(store)).toEqual(["COMPACTION_RELOAD_PARITY"]);
  });

  it("continues once a health audit has passed", async () => {
    const run = await open();
    const audit = [
      health("health_audit_dispatched", { attempt_number: 1 }),
      health("health_audit_pass"),
    ];
    await run.record([blocked, ...audit, restored, dispatched()]);
    expect(statusOf(run)).toBe("implementing");
  });
});

it("several events at once are refused together, wherever the impossible one is", async () => {
  const store = createMemoryStore();
  const run = await open(store);
  await refuses(
    "AGENT_MISMATCH",
    run,
    ...reviewed(),
    auditor(),
    complete("t", "dev"),
    dispatched("u"),
  );
  await refuses("READY_WITHOUT_DISPATCH", run, ready(), dispatched());
  await refuses("DISPATCH_NOT_AVAILABLE", run, dispatched(), dispatched("t", "dev-2"));
  expect(await typesIn(store)).toEqual(["session_start"]);
  await run.record([dispatched()]);
});

it("two runs of one log that race to dispatch one task: exactly one wins, in every round", async () => {
  const store = createMemoryStore();
  const runs = [
    await open(store),
    await open(store, { join: true }),
    await open(store, { join: true }),
  ];
  for (let round = 0; round < 20; round += 1) {
    const tries = runs.map((run, index) =>
      refusal(run.record([dispatched(`t${round}`, `dev-${index}`)])),
    );
    const refusals = (await Promise.all(tries)).filter((code) => code !== undefined);
    expect(refusals).toEqual([
      "BYLAW_EVENT_REFUSED DISPATCH_NOT_AVAILABLE",
      "BYLAW_EVENT_REFUSED DISPATCH_NOT_AVAILABLE",
    ]);
  }
  expect((await typesIn(store)).length).toBe(21);
  expect(await rulesBroken(store)).toEqual([]);
});

describe("an agent that wants to complete without an audit", () => {
  it("may report that the session pauses, which changes nothing", async () => {
    const run = await open();
    await run.record([
      dispatched(),
      plain("session_pause", { reason: "limit", remaining_percent: 0, resets_at: null }),
    ]);
    await refuses("DISPATCH_NOT_AVAILABLE", run, dispatched());
  });

  it("is not believed if details and envelope name two agents or two tasks", async () => {
    const run = await open();
    await run.record([...reviewed(), auditor(), dispatched("u")]);
    await refuses("AGENT_MISMATCH", run, { ...complete(), agent_id: "dev" });
    await refuses("AGENT_MISMATCH", run, { ...complete("t", "dev"), agent_id: "auditor" });
    await refuses("INVALID_FIELD", run, { ...complete(), task_id: "u" });
    await refuses("INVALID_FIELD", run, { ...complete("u"), task_id: "t" });
  });

  it("cannot call itself the critic or the auditor of its own work", async () => {
    const run = await open();
    await run.record([dispatched(), ready()]);
    await refuses("OWN_WORK", run, critic("t", "dev"));
    await run.record([critic(), pass()]);
    await refuses("OWN_WORK", run, auditor("t", "dev"), complete("t", "dev"));
    await refuses("OWN_WORK", run, { ...auditor("t", "sock-puppet"), agent_id: "dev" });
  });

  it("gains nothing by a task name that looks like another, or that JavaScript treats specially", async () => {
    const run = await open();
    await run.record([...reviewed("task-1"), auditor("task-1")]);
    for (const alike of readCases<string>(import.meta, "task-names")) {
      await refuses("COMPLETE_WITHOUT_AUDIT", run, complete(alike));
      await refuses("AUDIT_BEFORE_REVIEW", run, auditor(alike));
    }
    await run.record(whole("__proto__"));
    await refuses("TASK_ALREADY_COMPLETE", run, dispatched("__proto__"));
    expect(statusOf(run, "constructor")).toBeUndefined();
  });
});

describe("a second session", () => {
  it("continues the log: what was in progress is available again, and a recent completion is audited again", async () => {
    const store = createMemoryStore();
    const first = await open(store);
    await first.record([...whole("t"), dispatched("u")]);
    const second = await open(store);
    expect([statusOf(second, "t"), statusOf(second, "u")]).toEqual(["awaiting_audit", "available"]);
    expect(await refusal(first.record([dispatched("u")]))).toBe("BYLAW_RUN_SUPERSEDED");
    await refuses("COMPLETE_WITHOUT_AUDIT", second, complete("t"));
    await second.record([
      auditor("t", "auditor-2"),
      complete("t", "auditor-2"),
      ...whole("u"),
      end(2),
    ]);
    expect(await rulesBroken(store)).toEqual([]);
  });

  it("cannot continue a log whose workflow has ended, but a process that joins can read it", async () => {
    const store = createMemoryStore();
    await (await open(store)).record([ended]);
    const before = await typesIn(store);
    expect(await refusal(open(store))).toBe("BYLAW_EVENT_REFUSED EVENT_AFTER_TERMINAL");
    const reader = await open(store, { join: true });
    expect(reader.view(coordinatorState).workflow.ended_by).toBe("workflow_failed");
    expect(await typesIn(store)).toEqual(before);
  });
});
