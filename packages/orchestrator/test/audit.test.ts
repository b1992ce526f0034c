import * as fc from "fast-check";
import type { EventDraft, JsonObject, LogEvent } from "@bylaw/kernel";
import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Audit } from "../src/audit/audit.ts";
import { AuditIndex, type AuditFilter } from "../src/audit/audit-index.ts";
import { LogFollower } from "../src/events/log-follower.ts";
import { eventsOf, serve, type Agent, type Served } from "./operate-kit.ts";

interface Entry {
  readonly sequence: number;
  readonly event_type: string;
  readonly [field: string]: unknown;
}
interface Page {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly next?: string;
}

describe("over HTTP", () => {
  let served: Served;
  let ann: Agent;
  beforeAll(async () => {
    served = await serve();
    ann = await served.claim("ann");
    await ann.check("read_files", { path: "a" });
    await ann.check("write_files", { path: "b" });
    const { body } = await ann.check("read_files", { path: "c" });
    const id = String((body as { readonly id?: string }).id);
    await ann.send("POST", "/tools/result", {
      task_id: ann.task,
      id,
      tool_name: "read_files",
      ok: true,
      result: { lines: 3 },
    });
    await ann.move("BUILD", {});
    await (await served.claim("bob")).check("read_files", { path: "d" });
  });
  afterAll(() => served.close());

  const query = async (filter: string): Promise<Page> => {
    const { status, body, text } = await served.as("operator").get(`/audit/query${filter}`);
    if (status !== 200) throw new Error(text);
    return body as unknown as Page;
  };

  test("finds by task, tool, agent, type, phase and success, the newest first", async () => {
    const all = await eventsOf(served);
    expect((await query("")).total).toBe(all.length);
    expect((await query("")).entries.map(({ sequence }) => sequence)).toEqual(
      all.map(({ sequence }) => sequence).toReversed(),
    );
    const types = async (filter: string): Promise<readonly string[]> =>
      (await query(filter)).entries.map(({ event_type }) => event_type);
    expect(await types(`?task_id=${ann.task}&tool_name=read_files`)).toEqual([
      "tool_result",
      "tool_allowed",
      "tool_allowed",
    ]);
    expect(await types("?tool_name=write_files")).toEqual(["tool_denied"]);
    expect(await types(`?success=false&agent_id=ann`)).toEqual([
      "transition_blocked",
      "tool_denied",
    ]);
    expect(await types("?success=true&event_type=tool_result")).toEqual(["tool_result"]);
    expect(
      (await query("?phase=PLAN&agent_id=bob")).entries.every(({ phase }) => phase === "PLAN"),
    ).toBe(true);
    expect(await types("?phase=BUILD")).toEqual([]);
    expect(await types("?agent_id=nobody")).toEqual([]);
    expect(await types("?since=2100-01-01T00:00:00Z")).toEqual([]);
    expect((await query("?until=2100-01-01T00:00:00Z")).total).toBe(all.length);
  });

  test("has the fields of the audit format, with the arguments of the call in its result", async () => {
    const { entries } = await query("?event_type=tool_result");
    expect(entries).toMatchObject([
      {
        task_id: ann.task,
        phase: "PLAN",
        tool_name: "read_files",
        args: { path: "c" },
        result: { lines: 3 },
        success: true,
        error: null,
      },
    ]);
    expect(entries[0]?.["duration_ms"]).toBeGreaterThanOrEqual(0);
    const [denied] = (await query("?event_type=tool_denied")).entries;
    expect(denied).toMatchObject({
      success: false,
      effect: "deny",
      code: "phase_tool_not_allowed",
      args: { path: "b" },
    });
    expect(denied?.["error"]).toEqual(expect.stringContaining("write_files"));
  });

  test("comes in pages that together are complete", async () => {
    const seen: number[] = [];
    for (let cursor = ""; ;) {
      const page = await query(`?limit=3${cursor}`);
      seen.push(...page.entries.map(({ sequence }) => sequence));
      if (page.next === undefined) break;
      cursor = `&cursor=${page.next}`;
    }
    expect(seen).toEqual((await eventsOf(served)).map(({ sequence }) => sequence).toReversed());
  });

  test("has the last events, and the run in numbers", async () => {
    const recent = await served.as("operator").get("/audit/recent?count=2");
    const all = await eventsOf(served);
    expect((recent.body as unknown as Page).entries.map(({ sequence }) => sequence)).toEqual([
      all.length,
      all.length - 1,
    ]);
    const stats = (await served.as("operator").get("/audit/stats")).body;
    expect(stats).toMatchObject({
      total_entries: all.length,
      tools_used: { read_files: 3, write_files: 1 },
      decisions: { "deny phase_tool_not_allowed": 1 },
    });
    const { total_successes: well, total_failures: badly } = stats as unknown as Record<
      string,
      number
    >;
    expect(stats["success_rate"]).toBe(Number(well) / (Number(well) + Number(badly)));
  });

  test("is only for operators, and strict", async () => {
    for (const path of ["/audit/query", "/audit/recent", "/audit/stats"]) {
      expect((await served.nobody.get(path)).status).toBe(401);
      expect([(await ann.get(path)).status, (await ann.get(path)).body["code"]]).toEqual([
        403,
        "BYLAW_CREDENTIAL_UNFIT",
      ]);
    }
    for (const wrong of readCases<string>(import.meta, "operators-only"))
      expect((await served.as("operator").get(`/audit/query${wrong}`)).status).toBe(400);
    const tried = await query("?event_type=access_refused&agent_id=ann&success=false");
    expect(tried.total).toBeGreaterThanOrEqual(3);
    expect(tried.entries[0]).toMatchObject({
      code: "BYLAW_CREDENTIAL_UNFIT",
      details: { credential: "agent", method: "GET" },
    });
  });
});

const TYPES = ["tool_allowed", "tool_denied", "tool_result", "phase_entered", "note"] as const;
const name = fc.constantFrom("a", "b", "c");
const sketch = fc.record({
  type: fc.constantFrom(...TYPES),
  task: fc.option(name),
  agent: fc.option(name),
  tool: name,
  to: name,
  ok: fc.boolean(),
  at: fc.integer({ min: 0, max: 50 }),
});

const eventOf = (
  { type, task, agent, tool, to, ok, at }: typeof sketch extends fc.Arbitrary<infer T> ? T : never,
  index: number,
): LogEvent => ({
  timestamp: new Date(at * 1_000).toISOString(),
  sequence: index + 1,
  session_id: "s",
  event_type: type,
  agent_id: agent,
  task_id: task,
  details: { tool, to, ok },
});

/** A reference implementation: what the index must find. */
function scan(events: readonly LogEvent[], filter: AuditFilter): readonly number[] {
  const phases = new Map<string, string>();
  const found: number[] = [];
  for (const { sequence, event_type, agent_id, task_id, timestamp, details } of events) {
    if (event_type === "phase_entered" && task_id !== null)
      phases.set(task_id, String(details["to"]));
    const good =
      { phase_entered: true, tool_denied: false, tool_result: details["ok"] as boolean }[
        event_type
      ] ?? null;
    const at = Date.parse(timestamp);
    const holds =
      (filter.task_id === undefined || task_id === filter.task_id) &&
      (filter.agent_id === undefined || agent_id === filter.agent_id) &&
      (filter.event_type === undefined || event_type === filter.event_type) &&
      (filter.tool_name === undefined ||
        (event_type.startsWith("tool_") && details["tool"] === filter.tool_name)) &&
      (filter.phase === undefined || (task_id !== null && phases.get(task_id) === filter.phase)) &&
      (filter.success === undefined || good === filter.success) &&
      (filter.since === undefined || at >= filter.since) &&
      (filter.until === undefined || at < filter.until);
    if (holds) found.unshift(sequence);
  }
  return found;
}

describe("the index", () => {
  test("finds the same as a scan of all events, with any blocks and pages", () => {
    const time = fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * 1_000);
    const filter = fc.record(
      {
        task_id: name,
        agent_id: name,
        tool_name: name,
        phase: name,
        event_type: fc.constantFrom<string>(...TYPES),
        success: fc.boolean(),
        since: time,
        until: time,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(sketch, { maxLength: 60 }),
        filter,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 10 }),
        (sketches, wanted, block, limit) => {
          const events = sketches.map(eventOf);
          const index = new AuditIndex({ block, keep: 10_000 });
          index.add(events);
          const expected = scan(events, wanted);
          const got: number[] = [];
          for (let below = Infinity; ;) {
            const { hits, total } = index.find(wanted, below, limit);
            expect(total).toBe(expected.length);
            got.push(...hits.map(({ sequence }) => sequence));
            if (hits.length < limit) break;
            below = got.at(-1) ?? 0;
          }
          expect(got).toEqual(expected);
        },
      ),
    );
  });

  test("keeps only the last events, and says where they begin", () => {
    const index = new AuditIndex({ block: 10, keep: 50 });
    const many = Array.from({ length: 500 }, (_, at) =>
      eventOf({ type: "note", task: "a", agent: "b", tool: "c", to: "a", ok: true, at: 0 }, at),
    );
    index.add(many);
    const { hits, total } = index.find({ task_id: "a" }, Infinity, 1_000);
    expect(total).toBeGreaterThanOrEqual(50);
    expect(total).toBeLessThanOrEqual(60);
    expect(hits.at(-1)?.sequence).toBe(index.first);
    expect(index.first).toBe(500 - total + 1);
  });

  test("keeps no names of dropped events", () => {
    const index = new AuditIndex({ block: 10, keep: 50 });
    const any = {
      type: "tool_denied",
      task: "a",
      agent: "a",
      tool: "a",
      to: "a",
      ok: true,
      at: 0,
    } as const;
    const invented = (at: number): LogEvent => ({
      ...eventOf(any, at),
      task_id: `t${at}`,
      details: { tool: `x${at}` },
    });
    index.add(Array.from({ length: 5_000 }, (_, at) => invented(at)));
    expect(index.names).toBeLessThanOrEqual(60 * 5);
    expect(index.find({ tool_name: "x4999", task_id: "t4999" }, Infinity, 10)).toMatchObject({
      hits: [{ sequence: 5_000 }],
      total: 1,
    });
    expect(index.find({ tool_name: "x1" }, Infinity, 10).total).toBe(0);
  });
});

describe("a long log", () => {
  const draft = (details: JsonObject, index: number): EventDraft => ({
    timestamp: new Date(index).toISOString(),
    session_id: "s",
    event_type: "tool_denied",
    agent_id: `a${index % 7}`,
    task_id: `t${index % 1_000}`,
    details,
  });

  async function long(
    count: number,
    detailsOf: (index: number) => JsonObject,
  ): Promise<{ readonly store: Pick<Store, "events">; readonly read: () => number }> {
    const store = createMemoryStore();
    for (let at = 0; at < count; at += 1_000) {
      const events = Array.from({ length: Math.min(1_000, count - at) }, (_, index) =>
        draft(detailsOf(at + index), at + index),
      );
      await store.commit({ run: "r", events, seen: at });
    }
    let read = 0;
    return {
      store: {
        async events(...asked) {
          const page = await store.events(...asked);
          read += page.length;
          return page;
        },
      },
      read: () => read,
    };
  }

  function auditOf(store: Pick<Store, "events">): Audit {
    const follower: { it?: LogFollower } = {};
    const audit = new Audit({ store, run: "r" }, () => follower.it as LogFollower);
    follower.it = new LogFollower(store, "r", [audit]);
    return audit;
  }

  test("is read once, and later little more than the answer is read", async () => {
    const { store, read } = await long(20_000, () => ({ tool: "x" }));
    const audit = auditOf(store);
    expect((await audit.stats()).total_entries).toBe(20_000);
    const before = read();
    expect(before).toBe(20_000);
    const page = await audit.query({ task_id: "t7" }, { limit: 10 });
    expect([page.entries.length, page.total]).toEqual([10, 20]);
    await audit.query({}, { limit: 10 });
    await audit.query({ tool_name: "nothing" }, { limit: 100 });
    expect(read() - before).toBeLessThanOrEqual(30);
  });

  test("with large events comes in small pages, and is complete", async () => {
    const { store } = await long(30, (index) => ({
      tool: "x",
      args: { text: "y".repeat(300_000), index },
    }));
    const audit = auditOf(store);
    const seen: number[] = [];
    let pages = 0;
    for (let below: number | undefined; ;) {
      const { entries, next } = await audit.query({}, { limit: 100, below });
      expect(JSON.stringify(entries).length).toBeLessThan(2_500_000);
      seen.push(...entries.map(({ sequence }) => sequence));
      pages += 1;
      if (next === undefined) break;
      below = Number(next);
    }
    expect(pages).toBeGreaterThan(3);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => 30 - index));
  });
});
