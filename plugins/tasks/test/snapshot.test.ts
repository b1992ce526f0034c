import { readCases } from "@bylaw/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { definePlugin, deny } from "@bylaw/kernel";
import { z } from "zod";
import { enginesOn, took, worker, type Place, type Worker } from "./kit.ts";
import { holdOf, kernelWith, rules, summary, upTo } from "./setting.ts";

const [engine] = enginesOn(undefined);
let place: Place;
let one: Worker;
beforeEach(async () => {
  if (engine === undefined) throw new Error("Unexpected lack of engines");
  place = await engine.place();
  one = await worker(place);
});
afterEach(() => place.end());

const loud = definePlugin({
  name: "loud",
  version: "1.0.0",
  options: z.strictObject({ text: z.string() }),
  codes: { loud: "it says much" },
  apply: ({ hooks }, { text }) =>
    hooks.onTransition.tap("loud", () =>
      upTo(40).map((n) => deny(`${n} ${text}`, text, { code: "loud" })),
    ),
});

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

it("a snapshot has what the contract includes, and nothing else (WF-107)", async () => {
  await one.tasks.create({ id: "b" });
  await one.tasks.create({ id: "a", dependencies: ["b"] });
  const held = await took(one, "ann");
  await one.tasks.complete({ ...holdOf(held), ...summary });
  const { agent, task } = await took(one, "ann");
  await one.run.transition({ agent, task, to: "PLAN", artifacts: {} });
  await one.run.transition({ agent, task, to: "@completed", artifacts: {} });
  const whole = {
    task_dependencies: ["b"],
    completed_tasks: ["b"],
    current_phase: "PLAN",
    blockers: [{ code: "unfinished", reason: "The summary is missing.", fix: "Write it." }],
    prd_state: null,
    next: null,
  };
  expect(await one.tasks.snapshot({ task: "a" })).toEqual(whole);
  for (const part of readCases<Exclude<keyof typeof whole, "next">>(import.meta, "parts")) {
    const less = await worker(place, rules({}, { snapshotIncludes: [part] }));
    expect(await less.tasks.snapshot({ task: "a" })).toEqual({ [part]: whole[part], next: null });
  }
  const none = await worker(place, rules({}, { snapshotIncludes: [] }));
  expect(await none.tasks.snapshot({ task: "a" })).toEqual({ next: null });
});

it("a snapshot shows the changes made to the plan, and not the ones still due", async () => {
  await one.tasks.create({ id: "a" });
  const issue = (directive: string, params: object, action = "update_prd_state") => ({
    event_type: "directive_issued",
    agent_id: null,
    task_id: "a",
    details: { directive, action, params: params as never, parallel: false, wait: false },
  });
  const done = (directive: string, ok: boolean) => ({
    event_type: "directive_completed",
    agent_id: null,
    task_id: "a",
    details: { directive, ok },
  });
  const state = async () => (await one.tasks.snapshot({ task: "a" })).prd_state;
  await one.run.record([
    issue("2.0", { status: "started", owner: "ann" }),
    issue("2.1", { event: "x" }, "notify_orchestrator"),
  ]);
  expect(await state()).toBeNull();
  await one.run.record([done("2.0", true), done("2.1", true)]);
  expect(await state()).toEqual({ status: "started", owner: "ann" });
  await one.run.record([
    issue("5.0", { status: "completed" }),
    issue("6.0", { status: "lost" }),
    done("6.0", false),
    done("unheard", true),
  ]);
  expect(await state()).toEqual({ status: "started", owner: "ann" });
  await one.run.record([done("5.0", true), done("5.0", true)]);
  expect(await state()).toEqual({ status: "completed", owner: "ann" });
  await one.run.record([issue("9.0", { note: "x".repeat(50_000) }), done("9.0", true)]);
  expect(await state()).toEqual({ omitted_bytes: expect.any(Number) as number });
});

it("a snapshot stays under 100 KB with 10,000 dependencies of the longest names, page by page without a gap (WF-120)", async () => {
  // A character that takes six bytes of JSON.
  const ids = upTo(9_999).map((n) => `${"\u0001".repeat(250)}${n}`);
  for (const id of ids.slice(0, 2)) await one.tasks.create({ id });
  for (const agent of ["ann", "bob"])
    await one.tasks.complete({ ...holdOf(await took(one, agent)), ...summary });
  // All at once, because the store need not know unclaimed tasks.
  await one.run.record(
    ids
      .slice(2)
      .map((id) => ({
        event_type: "task_created",
        agent_id: null,
        task_id: id,
        details: { title: null, dependencies: [], capabilities: [] },
      })),
  );
  await one.tasks.create({ id: "all", dependencies: ids });
  const found: string[] = [];
  const completed: string[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < 1_000; pages += 1) {
    const page = await one.tasks.snapshot(
      cursor === "" ? { task: "all" } : { task: "all", cursor },
    );
    expect(bytesOf(page)).toBeLessThan(96_000);
    expect("current_phase" in page).toBe(cursor === "");
    found.push(...(page.task_dependencies ?? []));
    completed.push(...(page.completed_tasks ?? []));
    cursor = page.next;
  }
  expect(found).toEqual(ids);
  expect(completed).toEqual(ids.slice(0, 2));
  expect(await one.tasks.snapshot({ task: "all", cursor: "999999" })).toEqual({
    task_dependencies: [],
    completed_tasks: [],
    next: null,
  });
  // The page of another task is not larger because of them.
  expect(bytesOf(await one.tasks.snapshot({ task: ids[5_000] ?? "" }))).toBeLessThan(1_000);
});

it("a snapshot stays under 100 KB however many blockers a task has", async () => {
  await one.tasks.create({ id: "a" });
  const held = await took(one, "ann");
  const long = `${"\u0001".repeat(450)}\u{10ffff}${"\u0001".repeat(3_000)}`;
  const noisy = await worker(place, rules(), kernelWith(loud({ text: long })));
  await noisy.run.transition({ agent: held.agent, task: "a", to: "PLAN", artifacts: {} });
  const page = await noisy.tasks.snapshot({ task: "a" });
  expect(page.blockers).toHaveLength(20);
  expect(bytesOf(page)).toBeLessThan(96_000);
});
