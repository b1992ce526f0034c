import {
  parseTemplate,
  runWorkflow,
  storedTemplate,
  migrateWorkflow,
  migrationOf,
  releaseWorkflow,
  workflowState,
} from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { player, stage, templateOf, stageOf } from "./kit.ts";

const step = (id: string, more: object = {}) => ({ id, run: { function: "play" }, ...more });
const again = [{ action: "loop" }];
const completed = (id: string): string => `step \`${id}\` is completed and will not run again`;
const resumed = (checkpoint = 0) => ({
  event_type: "checkpoint_resumed",
  agent_id: null,
  task_id: null,
  details: { checkpoint, by: "ada", definition: null, migrated: true },
});

/** A workflow that ran as far as its steps permit, and another version of its template. */
async function changed(
  before: readonly object[],
  now: readonly object[],
  requests: Readonly<Record<string, readonly (object | null)[]>>,
) {
  const { trace, functions } = player(requests);
  const failing = { ...functions, fail: () => Promise.reject(new Error("no")) };
  const at = await stageOf({ steps: before }, failing);
  await at.go();
  const loaded = await templateOf({ steps: now });
  const run = await at.open();
  const state = run.view(workflowState);
  const kept = await storedTemplate(at.store, "r", state.started?.definition ?? "");
  if (kept === undefined) throw new TypeError("the template is kept");
  const go = () => {
    const { template, definition } = loaded;
    return runWorkflow({
      run,
      template,
      definition,
      workspace: at.folder,
      controlFile: at.controlFile,
      functions: failing,
    });
  };
  return {
    at,
    run,
    state,
    kept,
    loaded,
    trace,
    go,
    migration: (from?: number) => migrationOf(kept, loaded.template, state, from),
  };
}

describe("a run is migrated to a changed template", () => {
  it("by the ids of its steps: done steps stay done, new steps before them are reported, new steps after them run", async () => {
    const before = [step("a"), step("b"), step("c", { run: { function: "fail" } }), step("d")];
    const now = [
      step("new"),
      step("b"),
      step("a", { retries: 1 }),
      step("c"),
      step("more"),
      step("d"),
    ];
    const { migration, run, kept, loaded, trace, go } = await changed(before, now, {});
    expect(migration()).toMatchObject({
      changes: [
        "step `new` is new",
        "step `a` has moved",
        "step `a`: retries",
        "step `c`: run",
        "step `more` is new",
      ],
      notes: ["step `new` comes before the point where the workflow continues, so it will not run"],
      faults: [],
      cursor: 3,
    });
    await expect(go()).rejects.toFailWith("BYLAW_TEMPLATE_CHANGED");
    await migrateWorkflow(run, { before: kept, loaded, by: "ada" });
    await releaseWorkflow(run, { by: "ada" });
    expect(await go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "b1", "c1", "more1", "d1"]);
    await run.close();
  });

  it("with its current loop and the steps that the loop skips", async () => {
    const loop = (more: object = {}) =>
      step("check", { loop: { steps: 3, max_iterations: 1, skip: ["b"] }, ...more });
    const before = [step("a"), step("b"), step("c"), loop(), step("end")];
    const now = [step("zero"), step("a"), step("b"), step("c"), loop(), step("end")];
    const requests = { check: again, a: [null, { action: "checkpoint" }] };
    const { migration, state } = await changed(before, now, requests);
    expect(state.scopes).toEqual([{ owner: 3, skip: ["b"] }]);
    expect(migration()).toMatchObject({
      faults: [],
      scopes: [{ owner: 4, skip: ["b"] }],
      cursor: 1,
    });
    const gone = await changed(before, [step("a"), step("b"), step("c"), step("check")], requests);
    expect(gone.migration().faults).toEqual([
      "the loop of step `check` is running and was removed",
    ]);
    expect(gone.migration(2)).toMatchObject({ faults: [], scopes: [], cursor: 2 });
  });

  it("with the steps that a loop is about to repeat: they run again, and are not skipped because of the previous pass", async () => {
    const [prepare, test, publish] = [
      step("prepare"),
      step("test"),
      step("publish", { when: "test.success == true" }),
    ];
    const [work, check] = [
      step("work", { prompt: "new" }),
      step("check", { loop: { steps: 2, max_iterations: 3 } }),
    ];
    const before = [prepare, step("work"), test, check, publish];
    const requests = { check: again, work: [null, { action: "checkpoint" }] };
    const { migration, run, kept, loaded, trace, go, at } = await changed(
      before,
      [prepare, work, test, check, publish],
      requests,
    );
    expect(migration()).toMatchObject({ notes: [], faults: [], cursor: 1, redo: 0 });
    // If a person continues elsewhere, only the results of this pass count.
    expect(migration(0)).toMatchObject({
      notes: [completed("prepare"), completed("work")],
      redo: 2,
    });
    await migrateWorkflow(run, { before: kept, loaded, by: "ada" });
    await run.record([resumed(run.view(workflowState).pauses[0]?.checkpoint)]);
    expect(await go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual([
      "prepare1",
      "work1",
      "test1",
      "check1",
      "work2",
      "test2",
      "check2",
      "publish1",
    ]);
    expect(await at.types()).not.toContain("step_skipped");
    await run.close();

    const early = await changed(before, [prepare, test, work, check, publish], requests);
    expect(early.migration().notes).toEqual([
      "step `test` comes before the point where the workflow continues, so it will not run",
    ]);
    const behind = await changed(before, [work, test, check, prepare, publish], requests);
    expect(behind.migration().faults).toEqual([
      "step `test` would be repeated, but comes before one that would not",
      "step `check` would be repeated, but comes before one that would not",
    ]);
  });

  it("never if running work has no place in it: everything is listed, and nothing is recorded", async () => {
    const fail = { run: { function: "fail" } };
    const parallel = [
      step("a", { ...fail, parallel: "g" }),
      step("b", { parallel: "g" }),
      step("c"),
    ];
    const { migration, run, kept, loaded } = await changed(parallel, [step("b"), step("c")], {});
    expect(migration().faults).toEqual([
      "step `a` is running and was removed",
      "step `b` is running in another group than before",
    ]);
    const head = run.head;
    await expect(migrateWorkflow(run, { before: kept, loaded, by: "ada" })).rejects.toFailWith(
      "BYLAW_TEMPLATE_NOT_MIGRATED",
    );
    expect(run.head).toBe(head);
    const agents = { worker: { run: { function: "fail" } } };
    const held = await stageOf(
      { agents, steps: [{ id: "a", agent: "worker" }] },
      { fail: () => Promise.reject(new Error("no")) },
    );
    await held.go();
    const other = await held.open();
    const state = other.view(workflowState);
    const old = await storedTemplate(held.store, "r", state.started?.definition ?? "");
    const agentless = await templateOf({ steps: [step("a")] });
    expect(old && migrationOf(old, agentless.template, state).faults).toEqual([
      "agent `worker` is at work and was removed",
    ]);
    await expect(
      migrateWorkflow(other, {
        before: old ?? agentless.template,
        loaded: agentless,
        by: " WORKER ",
      }),
    ).rejects.toFailWith("BYLAW_WORKFLOW_BY_ITSELF");
    await other.close();
    await run.close();
  });

  it("never if a new step joins a running group, because it would never begin", async () => {
    const group = { parallel: "g" };
    const before = [
      step("a", { ...group, run: { function: "fail" } }),
      step("b", group),
      step("end"),
    ];
    const now = (...more: readonly object[]) => [
      step("a", group),
      step("b", group),
      ...more,
      step("end"),
    ];
    const { migration, run, kept, loaded } = await changed(before, now(step("audit", group)), {});
    expect(migration().faults).toEqual(["step `audit` joins steps that are running"]);
    await expect(migrateWorkflow(run, { before: kept, loaded, by: "ada" })).rejects.toFailWith(
      "BYLAW_TEMPLATE_NOT_MIGRATED",
    );
    await run.close();
    expect((await changed(before, now(), {})).migration().faults).toEqual([]);
    expect((await changed(before, now(step("audit")), {})).migration().faults).toEqual([]);
  });

  it("without repeating a done step that now comes later, unless it is repeatable", async () => {
    const before = [step("a"), step("b"), step("stop"), step("z")];
    const now = [step("z"), step("stop"), step("a"), step("b", { repeatable: true })];
    const { migration, run, kept, loaded, trace, go } = await changed(before, now, {
      stop: [{ action: "checkpoint" }],
    });
    expect(migration().notes).toEqual([
      "step `z` comes before the point where the workflow continues, so it will not run",
      "step `a` is completed and will not run again",
    ]);
    await migrateWorkflow(run, { before: kept, loaded, by: "ada" });
    await run.record([resumed(run.view(workflowState).pauses[0]?.checkpoint)]);
    await go();
    expect(trace).toEqual(["a1", "b1", "stop1", "b2"]);
    await run.close();
  });

  it("and continues after its end only where a person says", async () => {
    const { migration } = await changed([step("a")], [step("a"), step("b")], {});
    expect(migration().faults).toEqual([
      "the workflow has ended: name the step to continue from with --from",
    ]);
    expect(migration(1)).toMatchObject({ faults: [], cursor: 1 });
  });

  it("and only a kept template with the digest in the log counts", async () => {
    const loaded = await templateOf({
      steps: [step("a", { env: ["HOME"], loop: undefined })],
      description: "x",
    });
    const at = stage(loaded, player().functions);
    await at.go();
    expect(await storedTemplate(at.store, "r", loaded.definition)).toEqual(loaded.template);
    expect(await storedTemplate(at.store, "r", `sha256:${"0".repeat(64)}`)).toBeUndefined();
    expect(
      (
        await parseTemplate("bylaw: 1\nname: x\nsteps: [{id: a, run: {command: [x]}}]", {
          file: "x.yaml",
        })
      ).definition,
    ).not.toBe(loaded.definition);
  });
});
