import { createKernel, type LogEvent } from "@bylaw/kernel";
import { pluginOf, readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COORDINATOR_TYPES, createMemoryStore, openRun, type Run } from "@bylaw/log";
import { coordinatorState } from "../src/index.ts";
import { coordinatorGuard } from "../src/life/guards.ts";
import {
  auditor,
  complete,
  critic,
  dispatched,
  everything,
  findingsIn,
  guarded,
  of,
  pass,
  plain,
  ready,
  reviewed,
  whole,
  type Given,
} from "./life-kit.ts";
import { coordinatorLife } from "../src/life/projection.ts";

const RESUME = ["session_resumed", "task_restarted_on_resume", "task_reverification_required"];
const OTHER = "22222222-2222-4222-8222-222222222222";
const TASKS = ["task-1", "__proto__", "10", "9"];

/** A log that several sessions write one after the other, with a clock that the test sets. */
function createLog() {
  const store = createMemoryStore();
  const kernel = createKernel({ plugins: [guarded], fallback: "allow" });
  let at = Date.parse("2026-01-17T09:00:00Z");
  let sessions = 0;
  return {
    store,
    later: (minutes: number) => void (at += minutes * 60_000),
    /** Opens a new session; the previous one has ended silently. */
    open(): Promise<Run> {
      sessions += 1;
      const session = `00000000-0000-4000-8000-${String(sessions).padStart(12, "0")}`;
      const now = (): string => new Date(at).toISOString();
      return openRun(kernel, {
        run: "r1",
        store,
        session,
        now,
        plan: { file: "plan.md", total_tasks: TASKS.length },
      });
    },
    events: (): Promise<readonly LogEvent[]> => store.events("r1", 0, 100_000),
  };
}

/** A log with these events a minute apart, and after a pause the next session's first events. */
async function resumedAfter(
  given: readonly Given[],
  ...more: readonly (readonly Given[])[]
): Promise<readonly LogEvent[]> {
  const log = createLog();
  for (const events of [given, ...more]) {
    const run = await log.open();
    for (const event of events) {
      log.later(1);
      await run.record([event]);
    }
    log.later(600);
  }
  const { length } = await log.events();
  await log.open();
  const all = await log.events();
  expect(findingsIn(all)).toEqual([]);
  return all.slice(length);
}

const brief = (events: readonly LogEvent[]): readonly unknown[] =>
  events.map(({ event_type, task_id, details }) =>
    event_type === "session_resumed"
      ? [
          details["in_progress_tasks_count"],
          details["pending_audit_count"],
          details["completed_tasks_count"],
        ]
      : [event_type, task_id, details["reason"] ?? details["time_since_completion_minutes"]],
  );
const restarted = (task: string, reason = "session_interrupted"): unknown => [
  "task_restarted_on_resume",
  task,
  reason,
];
const reverified = (task: string, minutes: number): unknown => [
  "task_reverification_required",
  task,
  minutes,
];
const pause = plain("session_pause", { reason: "limit", remaining_percent: 1, resets_at: null });

describe("a run that is opened with a plan", () => {
  it("begins with its plan", async () => {
    const log = createLog();
    await log.open();
    expect(await log.events()).toMatchObject([
      {
        event_type: "session_start",
        sequence: 1,
        details: { plan_file: "plan.md", total_tasks: TASKS.length },
      },
    ]);
  });

  it("may end without a plan, however many tasks are complete", async () => {
    const run = await openRun(createKernel({ plugins: [guarded] }), { run: "r1" });
    await run.record(whole("task-1"));
    await run.record([
      plain("workflow_complete", { total_tasks: 1, compactions: 0, session_resumes: 0 }),
    ]);
    expect(run.view(coordinatorState).workflow.ended_by).toBe("workflow_complete");
  });
});

describe("a log that a new session continues", () => {
  it("records the interruption first, in one commit with what follows from it", async () => {
    const [resumed, ...rest] = await resumedAfter([dispatched("task-1")]);
    expect(resumed).toMatchObject({
      event_type: "session_resumed",
      session_id: "00000000-0000-4000-8000-000000000002",
      agent_id: null,
      task_id: null,
      details: {
        previous_session_id: "00000000-0000-4000-8000-000000000001",
        state_saved_at: "2026-01-17T09:01:00.000Z",
        in_progress_tasks_count: 1,
        pending_audit_count: 0,
        completed_tasks_count: 0,
      },
    });
    expect(rest.map(({ timestamp, task_id, details }) => [timestamp, task_id, details])).toEqual([
      [
        resumed?.timestamp,
        "task-1",
        { previous_status: "implementing", reason: "session_interrupted" },
      ],
    ]);
  });

  it("restarts what was in progress and what waited for its audit, each with its reason", async () => {
    const given = [...reviewed("task-2"), dispatched("task-1")];
    expect(brief(await resumedAfter(given))).toEqual([
      [1, 1, 0],
      restarted("task-1"),
      restarted("task-2", "audit_interrupted"),
    ]);
  });

  it.each(readCases<[string, Given[]]>(import.meta, "statuses"))(
    "names the status %s of the task that it restarts",
    async (previous_status, given) => {
      const [, restart] = await resumedAfter(given);
      expect(restart?.details["previous_status"]).toBe(previous_status);
    },
  );

  it("does not mention a task that was only asked about or analysed", async () => {
    const asked = of("agent_seeks_guidance", "t", "dev", { question: "?", options: [] });
    const analysed = of("business_analyst_dispatched", "u", "analyst", { missing_criteria: [] });
    expect(brief(await resumedAfter([asked, analysed]))).toEqual([[0, 0, 0]]);
  });

  it.each(readCases<[number, number]>(import.meta, "minutes-before-the-end"))(
    "audits a task again that was complete %d minutes before the last event, however long the pause was",
    async (minutes, told) => {
      const other = createLog();
      const run = await other.open();
      await run.record(whole("task-1"));
      other.later(minutes);
      await run.record([pause]);
      other.later(3_000);
      await other.open();
      const [, again] = (await other.events()).slice(8);
      expect(again).toMatchObject({
        event_type: "task_reverification_required",
        task_id: "task-1",
        details: { completed_at: "2026-01-17T09:00:00.000Z", time_since_completion_minutes: told },
      });
      expect(findingsIn(await other.events())).toEqual([]);
    },
  );

  it.each([60.001, 61])(
    "leaves a task alone that was complete %d minutes before the last event",
    async (minutes) => {
      const log = createLog();
      const run = await log.open();
      await run.record(whole("task-1"));
      log.later(minutes);
      await run.record([pause]);
      await log.open();
      expect(brief((await log.events()).slice(8))).toEqual([[0, 0, 1]]);
    },
  );

  it("measures from the last event of any kind", async () => {
    const log = createLog();
    const run = await log.open();
    await run.record(whole("task-1"));
    log.later(61);
    await run.toolCall({ id: "c1", agent: "a1", tool: "read_file", args: {} });
    await log.open();
    expect(brief((await log.events()).slice(8))).toEqual([[0, 0, 1]]);
  });

  it("lists a task for its audit again after a second crash, however late, and restarts no implementation", async () => {
    const log = createLog();
    await (await log.open()).record(whole("task-1"));
    for (const given of [
      [],
      [auditor("task-1", "auditor-2")],
      [auditor("task-1", "auditor-3"), pause],
    ]) {
      log.later(10);
      const run = await log.open();
      log.later(500);
      if (given.length > 0) await run.record(given);
    }
    await log.open();
    const events = await log.events();
    const resumed = events.filter(({ event_type }) => RESUME.includes(event_type));
    expect(brief(resumed)).toEqual([
      ...[[0, 0, 1], reverified("task-1", 0)],
      ...[[0, 1, 0], reverified("task-1", 10)],
      ...[[0, 1, 0], reverified("task-1", 1_020)],
      ...[[0, 1, 0], reverified("task-1", 1_530)],
    ]);
    expect(findingsIn(events)).toEqual([]);
  });

  it("restarts a task whose second audit failed, and one that a developer works on again", async () => {
    const failed = [
      auditor("task-1"),
      of("auditor_fail", "task-1", "auditor", { failures: [], required_fixes: [] }),
    ];
    expect(brief(await resumedAfter(whole("task-1"), failed))).toEqual([
      [1, 0, 0],
      restarted("task-1"),
    ]);
    const redone = [
      dispatched("task-1", "dev", { resumed: true }),
      ready("task-1"),
      critic("task-1"),
      pass("task-1"),
    ];
    expect(brief(await resumedAfter(whole("task-1"), redone))).toEqual([
      [0, 1, 0],
      restarted("task-1", "audit_interrupted"),
    ]);
  });

  it("trusts a log that begins with a resume about how many tasks were complete before", async () => {
    const log = createLog();
    const counts = { in_progress_tasks_count: 0, pending_audit_count: 0, completed_tasks_count: 3 };
    const resumed = plain("session_resumed", {
      previous_session_id: OTHER,
      state_saved_at: null,
      ...counts,
    });
    const again = {
      ...plain("task_reverification_required", { completed_at: null }),
      task_id: "old",
    };
    const envelope = { timestamp: "2026-01-17T08:00:00Z", session_id: OTHER };
    await log.store.commit({
      run: "r1",
      events: [resumed, again].map((given) => ({ ...envelope, ...given })),
      seen: 0,
    });
    const run = await log.open();
    const [first, ...rest] = (await log.events()).slice(2);
    expect(brief([first as LogEvent])).toEqual([[0, 1, 2]]);
    expect(rest.map(({ task_id, details }) => [task_id, details])).toEqual([
      [
        "old",
        {
          completed_at: null,
          last_event_time: "2026-01-17T08:00:00Z",
          time_since_completion_minutes: 0,
        },
      ],
    ]);
    await run.record([auditor("old"), complete("old")]);
    await log.open();
    expect(brief((await log.events()).slice(6))).toEqual([[0, 0, 3], reverified("old", 0)]);
  });

  it("only records a resume after the end, if no guard keeps it closed", async () => {
    const store = createMemoryStore();
    const unguarded = pluginOf("unguarded", (kernel) => {
      for (const type of COORDINATOR_TYPES) kernel.event(type);
      kernel.projection(coordinatorState);
    });
    const kernel = createKernel({ plugins: [unguarded] });
    const run = await openRun(kernel, { run: "r1", store });
    await run.record([
      ...whole("t"),
      dispatched("u"),
      plain("workflow_failed", { reason: "x", last_state: null }),
    ]);
    await openRun(kernel, { run: "r1", store });
    expect(brief((await store.events("r1", 0, 100)).slice(9))).toEqual([[1, 0, 1]]);
  });

  it("stops agents that asked about or analysed a restarted task from working on it", async () => {
    const log = createLog();
    const asked = of("agent_seeks_guidance", "t", "dev", { question: "?", options: [] });
    const analysed = of("business_analyst_dispatched", "t", "analyst", { missing_criteria: [] });
    await (await log.open()).record([dispatched("t"), asked, analysed]);
    const run = await log.open();
    const rest = [
      of("coordinator_prays", "t", "dev", { question: "?" }),
      {
        ...plain("task_expanded", { task_id: "t", confidence: 1, expansion_summary: "x" }),
        task_id: "t",
      },
    ];
    for (const given of rest)
      await expect(run.record([given])).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await run.record([dispatched("t"), ready("t")]);
  });

  it("restarts thousands of tasks in one commit, from the store's snapshot", async () => {
    const log = createLog();
    const run = await log.open();
    const tasks = Array.from(
      { length: 2_000 },
      (_, index) => `task-${String(index).padStart(4, "0")}`,
    );
    await run.record(tasks.map((task) => dispatched(task)));
    await run.record(tasks.slice(1_000).map((task) => ready(task)));
    await run.record([pause]);
    expect(await log.store.get("snapshot", "r1")).toBeDefined();
    await log.open();
    const [resumed, ...rest] = (await log.events()).slice(3_002);
    expect(resumed?.details["in_progress_tasks_count"]).toBe(2_000);
    expect(rest.map(({ event_type, task_id }) => [event_type, task_id])).toEqual(
      tasks.map((task) => ["task_restarted_on_resume", task]),
    );
    expect(findingsIn(await log.events())).toEqual([]);
  });
});

/** Counts the tasks of a log line by line, without any order rule. */
function countOf(events: readonly LogEvent[]) {
  const tasks = new Map<string, { readonly kind: string; readonly at: number }>();
  const before = (id: string): string => tasks.get(id)?.kind ?? "none";
  for (const { event_type, task_id, timestamp } of events) {
    if (task_id === null) continue;
    const set = (kind: string): unknown => tasks.set(task_id, { kind, at: Date.parse(timestamp) });
    const audit = before(task_id) === "again" ? "again" : "audit";
    if (
      [
        "developer_dispatched",
        "developer_ready_for_review",
        "critic_dispatched",
        "critic_fail",
        "auditor_fail",
      ].includes(event_type)
    )
      set("progress");
    if (event_type === "critic_pass") set("audit");
    if (event_type === "auditor_dispatched" || event_type === "auditor_blocked") set(audit);
    if (event_type === "task_complete") set("complete");
    if (event_type === "task_restarted_on_resume") set("none");
    if (event_type === "task_reverification_required") set("again");
  }
  const last = Date.parse(events.at(-1)?.timestamp ?? "");
  const named = (test: (kind: string, at: number) => boolean): readonly string[] =>
    [...tasks].filter(([, { kind, at }]) => test(kind, at)).map(([id]) => id);
  return {
    progress: named((kind) => kind === "progress"),
    audit: named((kind) => kind === "audit"),
    again: named((kind) => kind === "again"),
    complete: named((kind) => kind === "complete"),
    recent: named(
      (kind, at) => kind === "again" || (kind === "complete" && last - at <= 60 * 60_000),
    ),
  };
}

const step = fc.record({
  crash: fc.integer({ min: 0, max: 24 }).map((value) => value === 0),
  task: fc.constantFrom(...TASKS),
  turn: fc.nat(5),
  pick: fc.nat(),
  aim: fc.constantFrom("on", "on", "on", "on", "work", "work", "work", "any"),
  minutes: fc.constantFrom(0, 0.5, 1, 7, 30, 59, 60, 61),
});

// The direct path through the life of a task, so that random walks also reach its end.
const STRAIGHT = readCases<string>(import.meta, "straight");
const WORK = new Set(
  COORDINATOR_TYPES.flatMap(({ name, group }) =>
    ["developer", "critic", "auditor", "guidance"].includes(group) ? [name] : [],
  ),
);

interface Choice {
  readonly task: string;
  readonly turn: number;
  readonly pick: number;
  readonly aim: string;
}

function choose(run: Run, { task, turn, pick, aim }: Choice): Given | undefined {
  const whoever = { timestamp: "2026-01-17T09:00:00Z", session_id: run.session };
  const possible = [turn, turn + 1]
    .flatMap((number) => everything(task, number))
    .filter((given) => coordinatorGuard(run.view, { ...whoever, ...given }) === undefined);
  const { blocked } = run.view(coordinatorState).infrastructure;
  const wanted = STRAIGHT.slice(blocked ? 0 : 3).flatMap((type) =>
    possible.filter(({ event_type }) => event_type === type),
  );
  if (aim === "on" && wanted[0] !== undefined) return wanted[0];
  const work = possible.filter(({ event_type }) => WORK.has(event_type));
  const some = aim === "work" && work.length > 0 ? work : possible;
  return some[pick % some.length];
}

async function walk(
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
) {
  const log = createLog();
  let run = await log.open();
  let resumes = 0;
  for (const one of steps) {
    log.later(one.minutes);
    if (!one.crash) {
      const given = choose(run, one);
      if (given !== undefined) await run.record([given]);
      continue;
    }
    const before = await log.events();
    run = await log.open();
    resumes += 1;
    const [resumed, ...rest] = (await log.events()).slice(before.length);
    const counted = countOf(before);
    const last = before.at(-1);
    expect(resumed?.details).toEqual({
      previous_session_id: last?.session_id,
      state_saved_at: last?.timestamp,
      in_progress_tasks_count: counted.progress.length,
      pending_audit_count: counted.audit.length + counted.again.length,
      completed_tasks_count: counted.complete.length,
    });
    const about = (type: string, reason?: string): readonly unknown[] =>
      rest
        .filter(({ event_type, details }) => event_type === type && details["reason"] === reason)
        .map(({ task_id }) => task_id);
    expect(about("task_restarted_on_resume", "session_interrupted")).toEqual(
      [...counted.progress].sort(),
    );
    expect(about("task_restarted_on_resume", "audit_interrupted")).toEqual(
      [...counted.audit].sort(),
    );
    expect(about("task_reverification_required")).toEqual([...counted.recent].sort());
  }
  return { events: await log.events(), run, resumes };
}

it("any walk through the life cycle, with crashes anywhere, gives a log without findings, with the right counts, and the run's own state when folded", async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 60, maxLength: 160, size: "max" }),
      async (steps) => {
        const { events, run } = await walk(steps);
        expect(findingsIn(events)).toEqual([]);
        const folded = events.reduce(
          (state, event) => coordinatorLife.reduce(state, event),
          coordinatorLife.initial,
        );
        expect(JSON.stringify(folded)).toBe(JSON.stringify(run.view(coordinatorState)));
        for (const { event_type } of events) seen.set(event_type, (seen.get(event_type) ?? 0) + 1);
      },
    ),
    { numRuns: 100, endOnFailure: true },
  );
  // Without this, walks that never advance would pass too.
  for (const type of [
    ...RESUME,
    "task_complete",
    "infrastructure_restored",
    "agent_resumes_with_guidance",
  ])
    expect({ type, seen: (seen.get(type) ?? 0) > 0 }).toEqual({ type, seen: true });
});
