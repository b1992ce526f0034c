import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { describe, expect, it } from "vitest";
import { OverviewHistory, PAGE_FILES, pageFile, readRows } from "../src/index.ts";

const decided = (effect: string, rule: string): object => ({
  tool: "bash",
  args: { command: `${effect} ${rule}` },
  decision: { effect, code: "rule", rule: { name: rule }, votes: [{ effect, reason: "why" }] },
});

/** A run in which a task enters two phases, with a call in each and a blocked transition. */
async function makeRun(): Promise<Store> {
  const store = createMemoryStore();
  const events = [
    ["phase_entered", { to: "PLAN", decision: { effect: "allow" } }],
    ["tool_denied", decided("deny", "no-push")],
    ["transition_blocked", { to: "TDD", ...decided("deny", "gate") }],
    ["gate_decided", { gate: "plan", verdict: "approved" }],
    ["phase_entered", { to: "TDD", decision: { effect: "allow" } }],
    ["tool_allowed", decided("allow", "look")],
  ] as const;
  await store.commit({
    run: "r",
    seen: 0,
    events: events.map(([event_type, details]) => ({
      timestamp: "2026-11-28T10:00:00.000Z",
      session_id: "11111111-1111-4111-8111-111111111111",
      ...{ event_type, agent_id: "ann", task_id: "t", details: details as never },
    })),
  });
  return store;
}

async function historyOf(store: Store, until = 100): Promise<OverviewHistory> {
  const history = new OverviewHistory();
  history.add(await store.events("r", 0, until));
  return history;
}

const all = { run: "r", below: 7, limit: 100, phaseAt: () => null };

describe("readRows", () => {
  it("lists the newest first, in pages, by every filter", async () => {
    const store = await makeRun();
    const first = await readRows(store, { ...all, filter: {}, limit: 4 });
    expect(first.rows.map(({ sequence }) => sequence)).toEqual([6, 5, 4, 3]);
    const rest = await readRows(store, { ...all, filter: {}, below: first.next ?? 0 });
    expect(rest.rows.map(({ sequence }) => sequence)).toEqual([2, 1]);
    expect(rest.next).toBeUndefined();
    for (const filter of [{ effect: "allow", tool: "bash" }, { rule: "look" }]) {
      const { rows } = await readRows(store, { ...all, filter });
      expect(rows).toMatchObject([{ sequence: 6, summary: "allow look" }]);
    }
  });

  it("lists a call by what was applied, such as one that was left to the host", async () => {
    const left = { tool: "bash", decision: { effect: "ask_user", applied: "allow" } };
    const event = { event_type: "tool_allowed", details: left };
    const events = async () => [{ ...(await (await makeRun()).events("r", 0, 1))[0], ...event }];
    const source = { events: events as unknown as Store["events"] };
    const { rows } = await readRows(source, { ...all, below: 2, filter: { effect: "allow" } });
    expect(rows).toMatchObject([{ effect: "allow" }]);
  });

  it("reads a bounded part of a long log for a filter that nothing matches", async () => {
    let read = 0;
    const events = async (_run: string, _after: number, limit: number) => {
      read += limit;
      return [];
    };
    const page = await readRows({ events }, { ...all, below: 1_000_001, filter: { rule: "none" } });
    expect(page).toEqual({ rows: [], next: 980_001 });
    expect(read).toBe(20_000);
  });
});

describe("the overview of a run", () => {
  it("has the phase at each event, the blockers, and what gates are judged by", async () => {
    const store = await makeRun();
    const { live: overview } = await historyOf(store);
    expect([1, 4, 5, 6].map((at) => overview.phaseAt("t", at))).toEqual([
      ...["PLAN", "PLAN", "TDD", "TDD"],
    ]);
    expect(overview.value()).toMatchObject({
      head: 6,
      agents: [{ agent: "ann", allowed: 3, asked: 0, denied: 2 }],
      tasks: [{ task: "t", phase: "TDD", blockers: [], evidence: [{ type: "gate_decided" }] }],
      minutes: [{ allow: 3, deny: 2 }],
    });
  });

  it("is, at an earlier event, what it was then", async () => {
    const store = await makeRun();
    const history = await historyOf(store);
    const then = await history.at(store, "r", { at: 3 });
    expect(then).toEqual((await historyOf(store, 3)).live.value());
    expect(then.tasks).toMatchObject([
      { phase: "PLAN", wanted: "TDD", blockers: [{ effect: "deny", reason: "why" }] },
    ]);
  });

  it("at any event of a long run is read from a state before it", async () => {
    const events = Array.from({ length: 70_000 }, (_, index) => ({
      ...{ sequence: index + 1, timestamp: new Date(index * 7_000).toISOString() },
      ...{ session_id: "s", agent_id: `a-${index % 600}`, task_id: `t-${index % 70}` },
      event_type: index % 2 === 0 ? "tool_allowed" : "tool_result",
      details: { id: `c-${index >> 1}`, decision: { effect: index % 3 === 0 ? "deny" : "allow" } },
    }));
    let read = 0;
    const source = {
      async events(_run: string, after: number, limit: number) {
        read += limit;
        return events.slice(after, after + limit);
      },
    };
    const history = new OverviewHistory();
    for (let at = 0; at < events.length; at += 100) history.add(events.slice(at, at + 100));
    for (const at of [1, 999, 1_000, 33_333, 64_000, 69_999, 70_000]) {
      const fresh = new OverviewHistory();
      fresh.add(events.slice(0, at));
      read = 0;
      expect(await history.at(source, "r", { at })).toEqual(fresh.live.value());
      expect(read).toBeLessThanOrEqual(4_000);
    }
  });
});

describe("the files of the page", () => {
  it("have at most 250 KB together, compressed", () => {
    const sizes = PAGE_FILES.map(
      (file) => readFileSync(join(import.meta.dirname, `../dist/page/${file}.gz`)).length,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(250_000);
  });

  it("forbid every script but their own, and frames", async () => {
    const { headers } = await pageFile("index.html", "code");
    const policy = headers.get("content-security-policy");
    expect(policy).toMatch(/default-src 'none'; script-src 'self';.*frame-ancestors 'none'/);
    expect(policy).not.toContain("unsafe");
  });
});
