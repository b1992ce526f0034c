import { type LogEvent, type Projection, type View } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLogVerifier } from "@bylaw/log";
import { coordinatorOrder, coordinatorTasks } from "../src/index.ts";
import { coordinatorGuard, ownWorkGuard } from "../src/life/guards.ts";
import type { CoordinatorState } from "../src/life/state.ts";
import { coordinatorLife } from "../src/life/projection.ts";
import {
  auditor,
  critic,
  dispatched,
  plain,
  ready,
  whole,
  type Given,
  reviewed,
  everything,
} from "./life-kit.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";
const START = plain("session_start", { plan_file: "plan.md", total_tasks: 2 });

const eventOf = (given: Given, index: number): LogEvent => ({
  timestamp: new Date(Date.parse("2026-01-17T09:00:00Z") + index * 60_000).toISOString(),
  sequence: index + 1,
  session_id: SESSION,
  ...given,
});
const eventsOf = (...given: readonly Given[]): readonly LogEvent[] =>
  [START, ...given].map(eventOf);
const fold = (events: readonly LogEvent[], from = coordinatorLife.initial): CoordinatorState =>
  events.reduce((state, event) => coordinatorLife.reduce(state, event), from);
const viewOf =
  (state: CoordinatorState): View =>
  <State>(_: Projection<State>) =>
    state as State;

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** Every object within a state. */
function partsOf(value: unknown, seen = new Set<object>()): ReadonlySet<object> {
  if (typeof value !== "object" || value === null || seen.has(value)) return seen;
  seen.add(value);
  for (const part of Object.values(value)) partsOf(part, seen);
  return seen;
}

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0;

describe("the state of the coordinator", () => {
  it("has the status of every task, whatever its name", () => {
    const state = fold(
      eventsOf(
        ...whole("__proto__"),
        ...reviewed("constructor"),
        dispatched("10"),
        dispatched("9"),
        ready("9"),
      ),
    );
    expect([...coordinatorTasks(viewOf(state))].map(([id, { status }]) => [id, status])).toEqual([
      ["10", "implementing"],
      ["9", "awaiting_review"],
      ["__proto__", "complete"],
      ["constructor", "awaiting_audit"],
    ]);
    expect(state.completed).toBe(1);
  });

  it("leaves a log without a coordinator alone: its state stays the same object", () => {
    const state = fold(eventsOf());
    const calls = Array.from({ length: 100 }, (_, index) =>
      eventOf(plain("tool_allowed", { decision: {} }), index + 1),
    );
    expect(fold(calls, state)).toBe(state);
  });

  it("learns no task from an event of a run that names it", () => {
    const call = { ...plain("tool_allowed", { decision: {} }), task_id: "task-1" };
    expect(coordinatorTasks(viewOf(fold(eventsOf(call)))).size).toBe(0);
  });

  it.each(readCases<[string, Given[], Given]>(import.meta, "impossible-events"))(
    "is changed by %s only in its clock",
    (_, given, impossible) => {
      const before = fold(eventsOf(...given));
      const after = coordinatorLife.reduce(before, eventOf(impossible, given.length + 1));
      expect({ ...after, last: before.last }).toEqual(before);
      expect(after.last).not.toBe(before.last);
    },
  );

  it("changes no more after the end", () => {
    const ended = fold(eventsOf(plain("workflow_failed", { reason: "x", last_state: null })));
    expect(coordinatorLife.reduce(ended, eventOf(dispatched("t"), 2))).toBe(ended);
  });

  it("shares all but a few of its parts with the previous state, among ten thousand tasks", () => {
    const given = Array.from({ length: 10_000 }, (_, index) => dispatched(`task-${index}`));
    const before = fold(eventsOf(...given));
    const after = coordinatorLife.reduce(before, eventOf(ready("task-5000"), 10_001));
    const old = partsOf(before);
    const fresh = [...partsOf(after)].filter((part) => !old.has(part));
    expect(fresh.length).toBeGreaterThan(1);
    expect(fresh.length).toBeLessThan(40);
    expect(coordinatorTasks(viewOf(after)).get("task-5000")?.status).toBe("awaiting_review");
    expect(coordinatorTasks(viewOf(before)).get("task-5000")?.status).toBe("implementing");
  });

  it("stays shallow, in whatever order tasks arrive and delegations end", () => {
    const rising = Array.from({ length: 3_000 }, (_, index) =>
      dispatched(`task-${String(index).padStart(5, "0")}`),
    );
    const delegated = (type: string, index: number): Given =>
      plain(type, { run_id: `run-${String(index).padStart(5, "0")}` });
    const open = Array.from({ length: 3_000 }, (_, index) => delegated("expert_delegated", index));
    const closed = Array.from({ length: 2_999 }, (_, index) => delegated("expert_complete", index));
    const full = fold(eventsOf(...rising, ...open));
    expect(depthOf(full)).toBeLessThan(40);
    const { delegations } = fold(eventsOf(...rising, ...open, ...closed));
    expect(delegations).toMatchObject({ key: "run-02999", size: 1 });
  });
});

const anything = fc.record({
  task: fc.constantFrom("t1", "t2", "__proto__"),
  turn: fc.nat(5),
  pick: fc.nat(),
  legal: fc.integer({ min: 0, max: 9 }).map((value) => value > 0),
});
const OTHERS = readCases<Given>(import.meta, "others");

it("any log of possible and impossible events is judged alike by the guard and the verifier, line by line, and no state is ever mutated", () => {
  const rules = new Set<string>();
  const property = fc.property(
    fc.array(anything, { minLength: 30, maxLength: 80, size: "max" }),
    (choices) => {
      const verifier = createLogVerifier({ order: coordinatorOrder });
      let state = coordinatorLife.initial;
      for (const [index, { task, turn, pick, legal }] of choices.entries()) {
        const all = [
          ...everything(task, turn),
          ...OTHERS.map((given) => (given.task_id === null ? given : { ...given, task_id: task })),
        ];
        const legals = all.filter(
          (given) => coordinatorGuard(viewOf(state), eventOf(given, index)) === undefined,
        );
        const some = legal && legals.length > 0 ? legals : all;
        const event = eventOf(index === 0 ? START : (some[pick % some.length] ?? START), index);
        const told = verifier
          .line(JSON.stringify(event))
          .filter(({ rule, severity }) => severity === "error" && !ENVELOPE.has(rule));
        const finding = coordinatorGuard(viewOf(deepFreeze(state)), event);
        expect(told.map(({ rule, message }) => ({ rule, message }))).toEqual(
          finding === undefined ? [] : [finding],
        );
        for (const { rule } of told) rules.add(rule);
        state = coordinatorLife.reduce(state, event);
        if (index % 7 === 0)
          expect(JSON.parse(JSON.stringify(state))).toEqual(
            (state = JSON.parse(JSON.stringify(state)) as typeof state),
          );
      }
    },
  );
  fc.assert(property, { numRuns: 150, endOnFailure: true });
  expect(rules.size).toBeGreaterThan(8);
});
const ENVELOPE: ReadonlySet<string> = new Set([
  "UNEXPECTED_SESSION_START",
  "PREVIOUS_SESSION_MISMATCH",
]);

it("the guard takes a log as the later part of another only if a resume is its first event", () => {
  const reverify = { ...plain("task_reverification_required", {}), task_id: "t" };
  const judgeBehind = (...given: readonly Given[]): string | undefined =>
    coordinatorGuard(viewOf(fold(given.map(eventOf))), eventOf(reverify, given.length))?.rule;
  const resumed = plain("session_resumed", {
    previous_session_id: SESSION,
    completed_tasks_count: 1,
  });
  expect(judgeBehind(resumed)).toBeUndefined();
  expect(judgeBehind(plain("tool_allowed", { decision: {} }), resumed)).toBe("AUDIT_BEFORE_REVIEW");
});

describe("the guard of own work", () => {
  const own = (given: readonly Given[], next: Given): string | undefined =>
    ownWorkGuard(viewOf(fold(eventsOf(...given))), eventOf(next, given.length + 1))?.rule;

  it("remembers every developer of a task, across a restart and a second audit", () => {
    const again = {
      event_type: "task_restarted_on_resume",
      agent_id: null,
      task_id: "t",
      details: {},
    };
    const second = { ...again, event_type: "task_reverification_required" };
    const other = (task: string): readonly Given[] => [
      dispatched(task, "dev-2"),
      ready(task, "dev-2"),
    ];
    expect(own([dispatched("t"), again, ...other("t")], critic("t", "dev"))).toBe("OWN_WORK");
    expect(own([dispatched("t"), again, ...other("t")], critic("t", "dev-2"))).toBe("OWN_WORK");
    expect(own([...whole("t"), second], auditor("t", "dev"))).toBe("OWN_WORK");
  });
});
