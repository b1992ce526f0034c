import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { expect, test } from "vitest";
import { StopFold } from "../src/approvals/stops.ts";

function foldOf(...given: readonly (readonly [type: string, details?: JsonObject])[]): StopFold {
  const fold = new StopFold("main");
  for (const [index, [event_type, details = {}]] of given.entries())
    fold.add({
      ...{ sequence: index + 1, timestamp: "2026-01-01T00:00:00.000Z", session_id: "s" },
      ...{ event_type, agent_id: null, task_id: null, details },
    } as LogEvent);
  return fold;
}

const STARTED = ["workflow_started"] as const;
const held = (step: string, message: string) =>
  ["workflow_held", { step, why: "risk", message }] as const;

test("a workflow that is held twice has one question, with both reasons and a new id", () => {
  const [first] = foldOf(STARTED, held("a", "risky")).open();
  const [both, ...others] = foldOf(STARTED, held("a", "risky"), held("b", "failed")).open();
  expect(others).toEqual([]);
  expect(both).toMatchObject({ kind: "hold", step: "a", why: "risk", risk: null });
  expect(both?.reason).toBe("risky; `b`: failed");
  expect(both?.id).not.toBe(first?.id);
});

test.each([
  ["released", ["workflow_released", { by: "ada", step: "a" }], 0],
  ["moved", ["workflow_moved", { by: "ada", to: 2 }], 0],
  ["ended", ["workflow_ended", { outcome: "stopped" }], 0],
  ["migrated to another step", ["workflow_migrated", { moved: true }], 0],
  ["migrated without moving", ["workflow_migrated", { moved: false }], 1],
] as const)("a hold of a workflow that is %s", (_, event, open) => {
  const fold = foldOf(STARTED, held("a", "risky"), event);
  expect(fold.open()).toHaveLength(open);
  const [hold] = foldOf(STARTED, held("a", "risky")).open();
  const by = event[0] === "workflow_released" ? { by: "ada" } : undefined;
  expect(fold.ended(hold?.id ?? "")?.by).toBe(by?.by);
});

test("the advice of an oversight in a workflow is left to the workflow", () => {
  const risky = ["oversight_given", { by: "o", verdict: { risk: 0.9, advice: "no" } }] as const;
  expect(foldOf(STARTED, risky).open()).toEqual([]);
  expect(foldOf(risky).open()).toMatchObject([{ kind: "hold", risk: 0.9, step: null }]);
});
