import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { chainEvents } from "@bylaw/log";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { csvRecord } from "../src/log/csv.ts";
import { eventFilter, type FilterOptions } from "../src/log/event-filter.ts";
import { storePlace } from "../src/log/open-store.ts";

const NOW = Date.parse("2026-01-17T10:00:00Z");
const draft = (minute: number, event_type: string, more: Partial<EventDraft> = {}): EventDraft => ({
  timestamp: new Date(Date.parse("2026-01-17T09:00:00Z") + minute * 60_000).toISOString(),
  session_id: "11111111-1111-4111-8111-111111111111",
  event_type,
  agent_id: null,
  task_id: null,
  details: {},
  ...more,
});
const EVENTS = chainEvents(undefined, [
  draft(0, "session_start"),
  draft(1, "tool_allowed", {
    agent_id: "dev-1",
    task_id: "t1",
    details: { decision: { effect: "allow", code: "rule_allowed" } },
  }),
  draft(2, "tool_denied", {
    agent_id: "dev-2",
    task_id: "t2",
    details: { decision: { effect: "deny", code: "rule_denied" } },
  }),
  draft(3, "enforcement", { agent_id: "dev-2", details: { reason: "no_tool_call" } }),
  draft(4, "session_resumed", { session_id: "22222222-2222-4222-8222-222222222222" }),
  draft(5, "tool_allowed", { agent_id: "critic", details: { decision: "odd", reason: 7 } }),
]);

describe("eventFilter", () => {
  it.each<[string, FilterOptions, readonly number[]]>(
    readCases<[string, FilterOptions, number[]]>(import.meta, "finds"),
  )("finds %s", (_, options, wanted) => {
    expect(EVENTS.filter(eventFilter(options, NOW)).map(({ sequence }) => sequence)).toEqual(
      wanted,
    );
  });

  it("`today` and `yesterday` begin at local midnight", () => {
    const now = new Date(2026, 0, 17, 9, 30).getTime();
    const on = (day: number, hour: number): LogEvent => ({
      ...(EVENTS[0] as LogEvent),
      timestamp: new Date(2026, 0, day, hour).toISOString(),
    });
    const since = eventFilter({ since: "yesterday" }, now);
    expect([on(15, 23), on(16, 0), on(17, 9)].map(since)).toEqual([false, true, true]);
    const until = eventFilter({ until: "today" }, now);
    expect([on(16, 23), on(17, 0)].map(until)).toEqual([true, false]);
  });

  it.each(readCases<string>(import.meta, "times"))("refuses the time %j", (time) => {
    expect(() => eventFilter({ since: time }, NOW)).toFailWith("BYLAW_USAGE_INVALID");
  });
});

describe("csvRecord", () => {
  const agentIn = (agent_id: string): string =>
    csvRecord({ ...(EVENTS[0] as LogEvent), agent_id, details: {}, task_id: "|" }, undefined)
      .split(",{},")[0]
      ?.split(/,session_start,/)[1]
      ?.replace(/,\|$/, "") ?? "";

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1", "\uff1d1", '"=1', "'=1"])(
    "%j does not become a formula",
    (agent) => {
      expect(agentIn(agent)).toMatch(/^"?'/);
    },
  );

  it.each(readCases<[string, string]>(import.meta, "csv"))(
    "writes %j by RFC 4180, without characters that a terminal acts on",
    (agent, text) => {
      expect(agentIn(agent)).toBe(text);
    },
  );
});

describe("storePlace", () => {
  it.each(readCases<[string, string, string]>(import.meta, "store-place"))(
    "reads %s",
    (text, engine, target) => {
      expect(storePlace(text)).toEqual({ engine, target, shown: target });
    },
  );

  it.each(readCases<[string, string]>(import.meta, "store-addresses"))(
    "shows no password of %s",
    (text, shown) => {
      const place = storePlace(text);
      expect(place).toMatchObject({ engine: "postgres", target: text });
      expect(place.shown).toBe(shown);
    },
  );

  it.each(readCases<string>(import.meta, "refused-stores"))(
    "refuses %j, and repeats no password",
    (text) => {
      const refused = expect.objectContaining({
        code: "BYLAW_USAGE_INVALID",
        message: expect.not.stringContaining("s3cret") as string,
      });
      expect(() => storePlace(text)).toThrow(refused);
    },
  );
});
