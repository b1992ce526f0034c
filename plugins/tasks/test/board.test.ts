import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { treeEntries, treeGet, type Tree } from "@bylaw/log";
import { taskBoard, type Board, type TaskState } from "../src/index.ts";

type Sketch = readonly [
  type: string,
  task: string | null,
  agent: string | null,
  details: JsonObject,
];

const T0 = Date.parse("2026-01-02T10:00:00.000Z");
const time = (second: number): string => new Date(T0 + second * 1_000).toISOString();
const eventOf = ([event_type, task_id, agent_id, details]: Sketch, index: number): LogEvent => ({
  timestamp: time(index),
  sequence: index + 1,
  session_id: "s",
  event_type,
  agent_id,
  task_id,
  details,
});
const fold = (sketches: readonly Sketch[], from = taskBoard.initial): Board =>
  sketches.map(eventOf).reduce((board, event) => taskBoard.reduce(board, event), from);
const created = (
  id: string,
  dependencies: readonly string[] = [],
  capabilities: readonly string[] = [],
): Sketch => [
  ...(["task_created", id, null] as const),
  { title: null, dependencies: [...dependencies], capabilities: [...capabilities] },
];
const claimed = (id: string, agent: string, fence = 1): Sketch => [
  ...(["task_claimed", id, agent] as const),
  { fence, lease_until: time(1_000_000), capabilities: ["x", "y"], request_id: null },
];
const entered = (id: string, agent: string, to = "@completed"): Sketch => [
  "phase_entered",
  id,
  agent,
  { to },
];

const names = fc.constantFrom("a", "b", "c", "d", "__proto__");
const agents = fc.constantFrom("ann", "bob", null);
const fence = fc.integer({ min: 1, max: 4 });
const sets = fc.uniqueArray(fc.constantFrom("x", "y"));
const until = fc.integer({ min: -5, max: 60 }).map(time);
const sketch: fc.Arbitrary<Sketch> = fc.oneof(
  fc.tuple(
    fc.constant("task_created"),
    names,
    agents,
    fc.record({
      title: fc.constant(null),
      dependencies: fc.oneof(fc.constant([]), fc.uniqueArray(names, { maxLength: 2 })),
      capabilities: sets,
    }),
  ),
  fc.tuple(
    fc.constant("task_claimed"),
    names,
    agents,
    fc.record({
      fence,
      lease_until: until,
      capabilities: sets,
      request_id: fc.constantFrom(null, "q"),
    }),
  ),
  fc.tuple(
    fc.constantFrom("task_released", "task_failed"),
    names,
    agents,
    fc.record({ fence, reason: fc.constant("why") }),
  ),
  fc.tuple(fc.constant("task_renewed"), names, agents, fc.record({ fence, lease_until: until })),
  fc.tuple(
    fc.constant("task_lapsed"),
    names,
    agents,
    fc.record({ agent: fc.constantFrom("ann", "bob"), fence, retry: fence, retry_at: until }),
  ),
  fc.tuple(
    fc.constant("task_escalated"),
    names,
    agents,
    fc.record({ agent: fc.constantFrom("ann", "bob"), fence, lapses: fence }),
  ),
  fc.tuple(
    fc.constant("task_retried"),
    names,
    agents,
    fc.record({ by: fc.constantFrom("eve", "ann"), reason: fc.constant(null) }),
  ),
  fc.tuple(fc.constant("task_finished"), names, agents, fc.record({ fence })),
  fc.tuple(
    fc.constant("phase_entered"),
    names,
    agents,
    fc.record({ to: fc.constantFrom("PLAN", "@completed") }),
  ),
  fc.tuple(
    fc.constant("transition_blocked"),
    names,
    agents,
    fc.record({
      decision: fc.constantFrom(
        { code: "no", reason: "no", votes: [] },
        { code: "task_other_agent", reason: "no" },
      ),
    }),
  ),
  fc.tuple(
    fc.constantFrom("task_created", "task_claimed", "phase_entered", "transition_blocked", "note"),
    fc.option(names),
    agents,
    fc.constantFrom({}, { to: 7 }, { decision: "no" }),
  ),
);

// Long logs, because of a few random events hardly any is possible.
const logs = fc.array(sketch, { minLength: 40, maxLength: 120, size: "max" });

/** All indexes, computed from the tasks only. */
function indicesOf({ tasks, unfinished }: Board): unknown {
  const all = [...treeEntries(tasks)];
  const of = (pick: (task: TaskState) => boolean): readonly string[] =>
    all.filter(([, task]) => pick(task)).map(([id]) => id);
  const completed = new Set(of(({ status }) => status === "completed"));
  return {
    ready: of(({ status }) => status === "ready").toSorted(),
    due: of(({ status }) => status === "claimed" || status === "waiting").toSorted(),
    asked: all
      .flatMap(([id, { status, agent, request_id }]) =>
        status === "claimed" && request_id !== null
          ? [`${JSON.stringify([agent, request_id])} ${id}`]
          : [],
      )
      .toSorted(),
    unmet: all.map(([id, { dependencies }]) => [
      id,
      dependencies.filter((one) => !completed.has(one)).length,
    ]),
    blocked: of(
      ({ dependencies, status }) =>
        status === "blocked" && dependencies.every((one) => completed.has(one)),
    ),
    unfinished: [...treeEntries(unfinished)].filter(([id]) => !completed.has(id)),
  };
}

const idsOf = (tree: Tree<string>): readonly string[] => [...treeEntries(tree)].map(([, id]) => id);
const listedIn = ({ tasks, ready, due, asked }: Board): unknown => ({
  ready: [...treeEntries(ready)].flatMap(([, ids]) => idsOf(ids)).toSorted(),
  due: idsOf(due).toSorted(),
  asked: [...treeEntries(asked)].map(([key, id]) => `${key} ${id}`).toSorted(),
  unmet: [...treeEntries(tasks)].map(([id, { unmet }]) => [id, unmet]),
  blocked: [],
  unfinished: [],
});

it("the board is the same from the same log, is plain data, and its indexes match its tasks", () => {
  fc.assert(
    fc.property(logs, fc.nat(120), (sketches, cut) => {
      const board = fold(sketches);
      expect(listedIn(board)).toEqual(indicesOf(board));
      const kept = JSON.parse(JSON.stringify(fold(sketches.slice(0, cut)))) as Board;
      const rest = sketches.map(eventOf).slice(cut);
      expect(rest.reduce((state, event) => taskBoard.reduce(state, event), kept)).toEqual(board);
    }),
    { numRuns: 300 },
  );
});

it("in a log that was written without the guards nobody holds a task twice, and nothing is completed before its dependencies", () => {
  let completions = 0;
  fc.assert(
    fc.property(logs, (sketches) => {
      const done = new Set<string>();
      sketches.map(eventOf).reduce((board, event) => {
        const after = taskBoard.reduce(board, event);
        for (const [id, task] of treeEntries(after.tasks)) {
          const before = treeGet(board.tasks, id);
          if (before?.status === "claimed" && task.status === "claimed")
            expect([task.agent, task.fence]).toEqual([before.agent, before.fence]);
          expect(task.fence).toBeGreaterThanOrEqual(before?.fence ?? 0);
          if (task.status === "completed" && !done.has(id)) {
            for (const one of task.dependencies) expect(done).toContain(one);
            done.add(id);
            completions += 1;
          }
          if (done.has(id)) expect(task.status).toBe("completed");
        }
        return after;
      }, taskBoard.initial);
    }),
    { numRuns: 300 },
  );
  expect(completions).toBeGreaterThan(50);
});

it("refusals of other agents are no blockers of a task", () => {
  const vote = { effect: "deny", code: "artifact_missing", reason: "no plan", fix: "write it" };
  const more = [
    vote,
    { effect: "deny", code: "w", reason: "r", severity: "warning" },
    { effect: "deny", code: "s", reason: "r", shadow: true },
    { effect: "allow", code: "a", reason: "r" },
  ];
  const blocked = (agent: string, votes: readonly JsonObject[]): Sketch => [
    "transition_blocked",
    "a",
    agent,
    { decision: { code: "x", reason: "y", votes: [...votes] } },
  ];
  const before: readonly Sketch[] = [created("a"), claimed("a", "ann"), blocked("ann", more)];
  const blockersAfter = (...sketches: readonly Sketch[]) =>
    treeGet(fold([...before, ...sketches]).tasks, "a")?.blockers;
  expect(blockersAfter()).toEqual([
    { code: "artifact_missing", reason: "no plan", fix: "write it" },
  ]);
  expect(
    blockersAfter(
      blocked("bob", [vote, { effect: "deny", code: "task_other_agent", reason: "z" }]),
    ),
  ).toHaveLength(1);
  expect(blockersAfter(entered("a", "ann", "PLAN"))).toEqual([]);
});

it("with 10,000 tasks an event copies only the path to what it changes", () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `t${n}`);
  const board = fold(
    ids.map((id, n) =>
      created(id, n % 3 === 0 && n > 0 ? [`t${n - 1}`] : [], n % 2 === 0 ? [] : ["x"]),
    ),
  );
  const seen = new Set<unknown>();
  const walk = (value: unknown, visit: (node: object) => boolean): void => {
    if (typeof value !== "object" || value === null || !visit(value)) return;
    for (const item of Object.values(value)) walk(item, visit);
  };
  walk(board, (node) => !seen.has(node) && seen.add(node) !== undefined);
  expect(seen.size).toBeGreaterThan(30_000);
  for (const next of [
    claimed("t5000", "ann"),
    created("last", ["t1"]),
    ["transition_blocked", "t1", "ann", { decision: { code: "no", reason: "no" } }] as const,
    entered("t4", "ann"),
  ]) {
    let fresh = 0;
    const after = taskBoard.reduce(board, eventOf(next, 20_000));
    expect(after).not.toBe(board);
    walk(after, (node) => !seen.has(node) && ++fresh > 0);
    expect(fresh).toBeLessThan(150);
  }
});
