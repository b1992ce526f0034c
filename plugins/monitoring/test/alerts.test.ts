import { createMemoryStore, openRun, treeEntries } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAlerts, raiseAlerts, type RaisedAlerts } from "../src/index.ts";
import { at, contract, kernelIn } from "./kit.ts";

const HOUR = 3_600;

async function open(more: Partial<Parameters<typeof openRun>[1]> = {}) {
  let second = 0;
  const run = await openRun(kernelIn(temporaryFolder()), {
    run: "r",
    now: () => at(second),
    ...more,
  });
  onTestFinished(() => run.close());
  const move = (to: string, artifacts = {}, task = "t1") =>
    run.transition({ agent: "dev", task, to, artifacts });
  return { run, move, wait: (seconds: number) => (second += seconds) };
}

const told = ({ raised, cleared }: RaisedAlerts): readonly string[] => [
  ...raised.map(({ task_id, details }) => `+ ${String(details["alert"])} ${task_id ?? ""}`.trim()),
  ...cleared.map(({ task_id, details }) => `- ${String(details["alert"])} ${task_id ?? ""}`.trim()),
];

describe("raiseAlerts", () => {
  it("raises a rate once when it crosses, over enough answers, and clears it when it is back", async () => {
    const { run, move } = await open();
    await move("PLAN");
    for (const sample of [1, 2, 3, 4]) {
      expect((await move("BUILD", { bad_gate: sample })).applied).toBe("deny");
      expect(told(await raiseAlerts(run, contract, { at: at(0) }))).toEqual([]);
    }
    await move("BUILD", { bad_gate: 5 });
    const first = await raiseAlerts(run, contract, { at: at(1) });
    expect(told(first)).toEqual(["+ gate_block_rate > 0.5"]);
    expect(first.raised[0]?.details).toMatchObject({
      ...{
        observed: 1,
        samples: 5,
        action: "notify_human",
        message: "Gates block more than they let through",
        at: at(1),
        contract: contract.digest,
      },
    });
    expect(told(await raiseAlerts(run, contract, { at: at(2) }))).toEqual([]);
    for (const task of ["a", "b", "c", "d", "e"]) {
      await move("PLAN", {}, task);
      await move("BUILD", {}, task);
    }
    // Exactly half is not more than half.
    expect(told(await raiseAlerts(run, contract, { at: at(3) }))).toEqual([
      "- gate_block_rate > 0.5",
    ]);
    await move("BUILD", { bad_gate: 6 });
    expect(told(await raiseAlerts(run, contract, { at: at(4) }))).toEqual([
      "+ gate_block_rate > 0.5",
    ]);
  });

  it("raises over fewer answers if told to", async () => {
    const { run, move } = await open();
    await move("PLAN");
    await move("BUILD", { bad_gate: 1 });
    expect(told(await raiseAlerts(run, contract, { at: at(0), samples: 1 }))).toEqual([
      "+ gate_block_rate > 0.5",
    ]);
  });

  it("says which task is stuck, by the given time, and once for each stay in a phase", async () => {
    const { run, move, wait } = await open();
    await move("PLAN", {}, "slow");
    wait(HOUR);
    await move("PLAN", {}, "quick");
    expect(told(await raiseAlerts(run, contract, { at: at(2 * HOUR) }))).toEqual([]);
    const first = await raiseAlerts(run, contract, { at: at(2 * HOUR + 1) });
    expect(told(first)).toEqual(["+ task_stuck_in_phase > 7200 slow"]);
    expect(first.raised[0]?.details).toMatchObject({
      phase: "PLAN",
      observed: 2 * HOUR + 1,
      samples: null,
    });
    wait(2 * HOUR);
    await move("BUILD", {}, "slow");
    // Nobody checked in between: the alert of the first stay ends, and that of the second begins.
    const later = await raiseAlerts(run, contract, { at: at(6 * HOUR) });
    expect(told(later).toSorted()).toEqual([
      "+ task_stuck_in_phase > 7200 quick",
      "+ task_stuck_in_phase > 7200 slow",
      "- task_stuck_in_phase > 7200 slow",
    ]);
    expect(later.raised.find(({ task_id }) => task_id === "slow")?.details).toMatchObject({
      phase: "BUILD",
    });
  });

  it("ignores completed tasks", async () => {
    const { run, move } = await open();
    await move("SHIP");
    await move("@completed");
    expect(told(await raiseAlerts(run, contract, { at: at(100 * HOUR) }))).toEqual([]);
  });

  it("counts insufficient artifacts", async () => {
    const { run, move } = await open();
    await move("PLAN");
    for (const bad_plan of [1, 2]) await move("BUILD", { bad_plan });
    expect(told(await raiseAlerts(run, contract, { at: at(0) }))).toEqual([]);
    await move("BUILD", { bad_plan: 3 });
    expect(told(await raiseAlerts(run, contract, { at: at(0) }))).toEqual([
      "+ artifact_validation_failures >= 3",
    ]);
  });

  it("is recorded once if several processes check at once", async () => {
    const store = createMemoryStore();
    const kernel = kernelIn(temporaryFolder());
    const runs = await Promise.all(
      [1, 2, 3, 4].map(() => openRun(kernel, { run: "r", store, join: true, now: () => at(0) })),
    );
    const [first] = runs;
    await first?.transition({ agent: "dev", task: "t1", to: "PLAN", artifacts: {} });
    for (const bad_plan of [1, 2, 3])
      await first?.transition({ agent: "dev", task: "t1", to: "BUILD", artifacts: { bad_plan } });
    const all = await Promise.all(runs.map((run) => raiseAlerts(run, contract, { at: at(1) })));
    expect(all.flatMap(told)).toEqual(["+ artifact_validation_failures >= 3"]);
    const events = await store.events("r", 0, 100);
    expect(events.filter(({ event_type }) => event_type === "alert_raised")).toHaveLength(1);
    await Promise.all(runs.map((run) => run.close()));
  });

  it("clears what the contract no longer contains", async () => {
    const { run, move } = await open();
    await move("PLAN");
    await raiseAlerts(run, contract, { at: at(3 * HOUR) });
    const less = { ...contract, monitoring: { ...contract.monitoring, alerts: [] } };
    expect(told(await raiseAlerts(run, less, { at: at(3 * HOUR) }))).toEqual([
      "- task_stuck_in_phase > 7200 t1",
    ]);
    expect([...treeEntries(run.view(openAlerts))]).toEqual([]);
  });

  it.each(["soon", "", "2026-01-17", "2026-13-41T09:00:00Z"])(
    "refuses the time %j",
    async (time) => {
      const { run } = await open();
      await expect(raiseAlerts(run, contract, { at: time })).rejects.toFailWith(
        "BYLAW_OPTIONS_INVALID",
      );
    },
  );
});

describe("the events of alerts", () => {
  const details = {
    ...{
      alert: "gate_block_rate > 0.5",
      message: "m",
      entered: null,
      at: at(0),
      metric: "gate_block_rate",
      operator: ">",
      value: 0.5,
    },
    ...{ observed: 0.9, samples: 10, phase: null, action: "notify_human", contract: "sha256:0" },
  } as const;
  const raised = { event_type: "alert_raised", agent_id: null, task_id: null, details };

  it("are refused if they could not have happened", async () => {
    const { run } = await open();
    await run.record([raised]);
    const refused = { code: "BYLAW_EVENT_REFUSED" };
    await expect(run.record([raised])).rejects.toMatchObject(refused);
    await expect(
      run.record([{ ...raised, details: { ...details, message: "other", observed: 0.5 } }]),
    ).rejects.toMatchObject(refused);
    const { alert, message, entered, at: time } = details;
    const cleared = {
      ...raised,
      event_type: "alert_cleared",
      details: { alert, message, entered, at: time },
    };
    await run.record([cleared]);
    await expect(run.record([cleared])).rejects.toMatchObject(refused);
    await expect(
      run.record([{ ...raised, details: { ...details, action: "page_everybody" } }]),
    ).rejects.toFailWith("BYLAW_EVENT_INVALID");
  });

  it("cannot be recorded by agents", async () => {
    const { run } = await open();
    const { applied, events } = await run.behave({ agent: "dev", action: "alert_cleared" });
    expect({ applied, type: events[0]?.event_type }).toEqual({
      applied: "deny",
      type: "behavior_rejected",
    });
  });
});
