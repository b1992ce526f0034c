import { expect, it } from "vitest";
import type { EventDraft, JsonObject } from "@bylaw/kernel";
import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { createBlockedRequests, type BlockedRequests } from "../src/approvals/blocked-requests.ts";

const at = (second: number): string => new Date(second * 1_000).toISOString();
const event = (second: number, event_type: string, details: JsonObject): EventDraft => ({
  timestamp: at(second),
  session_id: "s",
  event_type,
  agent_id: "ann",
  task_id: "a",
  details,
});
const blocked = (second: number, artifacts: JsonObject, codes: readonly string[]): EventDraft => {
  const votes = codes.map((code) => ({
    plugin: "p",
    rule: "PLAN.gates.g.approval",
    code,
    effect: "deny",
    reason: JSON.stringify(artifacts),
  }));
  return event(second, "transition_blocked", { to: "WORK", artifacts, decision: { votes } });
};

async function folded(
  drafts: readonly EventDraft[],
): Promise<{ readonly requests: BlockedRequests; readonly store: Store }> {
  const store = createMemoryStore();
  const { events } = await store.commit({ run: "r", events: drafts, seen: 0 });
  const requests = createBlockedRequests(store, "r");
  for (const one of events) requests.add(one);
  return { requests, store };
}

async function seen(requests: BlockedRequests, second: number): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { details } of requests.of("a", at(second)))
    found.push((details["artifacts"] as JsonObject)["v"]);
  return found;
}

const flood = (
  from: number,
  artifacts: JsonObject,
  codes: readonly string[],
): readonly EventDraft[] =>
  Array.from({ length: 500 }, (_, index) => blocked(from + index, artifacts, codes));

it("the request that opened a gate is found after any number of others, with those before it", async () => {
  const drafts = [
    blocked(1, { v: "old" }, ["artifact_missing"]),
    blocked(2, { v: "asked" }, ["gate_pending"]),
    ...flood(10, { v: "asked" }, ["gate_pending"]),
    ...flood(1_000, { v: "other" }, ["gate_pending", "artifact_missing"]),
  ];
  const { requests } = await folded(drafts);
  expect(await seen(requests, 2)).toEqual(["asked", "old"]);
  expect(requests.size).toBe(200);
  expect((await seen(requests, 5)).length).toBe(200);
});

it("the same request opens a gate once more where it was closed or timed out in between", async () => {
  const drafts = [
    blocked(1, { v: "asked" }, ["gate_pending"]),
    event(2, "gate_closed", { gate: "g" }),
    blocked(3, { v: "asked" }, ["gate_pending"]),
    blocked(4, { v: "asked" }, ["gate_timed_out"]),
    blocked(5, { v: "asked" }, ["gate_pending"]),
    ...flood(10, { v: "other" }, ["artifact_missing"]),
  ];
  const { requests } = await folded(drafts);
  expect((await seen(requests, 5))[0]).toBe("asked");
});

it("nothing is known of a task that is completed", async () => {
  const { requests } = await folded([
    ...flood(1, { v: "x" }, ["gate_pending"]),
    event(1_000, "phase_entered", { to: "@completed" }),
  ]);
  expect(requests.size).toBe(0);
  expect(await seen(requests, 1)).toEqual([]);
});
