import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { formatEventLine, parseEventLine } from "../src/index.ts";
import { A } from "./log-kit.ts";

const EVENT: LogEvent = {
  timestamp: "2026-01-17T09:01:00Z",
  sequence: 1,
  session_id: A,
  event_type: "session_start",
  agent_id: null,
  task_id: null,
  details: { plan_file: "plan.md", total_tasks: 1 },
};
const LINE = JSON.stringify(EVENT);
const HASH = `sha256:${"0".repeat(64)}`;
const changed = (fields: object): string => JSON.stringify({ ...EVENT, ...fields });

const events = fc.record({
  timestamp: fc
    .date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  sequence: fc.integer({ min: 1 }),
  session_id: fc.uuid(),
  event_type: fc.string({ minLength: 1, unit: "grapheme" }),
  agent_id: fc.option(fc.string({ unit: "grapheme" })),
  task_id: fc.option(fc.string({ unit: "grapheme" })),
  details: fc.dictionary(
    fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
    fc
      .jsonValue({ stringUnit: "grapheme" })
      .filter((value) => !JSON.stringify(value).includes("__proto__")),
  ),
});

describe("the line of an event", () => {
  it("accepts details as deep as any data may be, and no deeper", () => {
    const deep = (levels: number): LogEvent => ({
      ...EVENT,
      details: JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels)) as JsonObject,
    });
    expect(parseEventLine(formatEventLine(deep(100)))).toEqual(deep(100));
    expect(() => formatEventLine(deep(101))).toFailWith("BYLAW_JSON_INVALID");
    expect(() => parseEventLine(JSON.stringify(deep(101)))).toFailWith("BYLAW_EVENT_INVALID");
  });

  it("can be parsed and formatted without change", () => {
    fc.assert(
      fc.property(events, (event) => {
        const line = formatEventLine(event as LogEvent);
        expect(line).not.toMatch(/[\n\r]/);
        expect(formatEventLine(parseEventLine(line))).toBe(line);
        expect(parseEventLine(line)).toEqual(JSON.parse(JSON.stringify(event)));
      }),
    );
  });

  it("has the fields in order, whatever order they were given in", () => {
    const { details, ...others } = EVENT;
    expect(formatEventLine({ details, ...others })).toBe(LINE);
    expect(formatEventLine({ hash: HASH, ...EVENT })).toBe(changed({ hash: HASH }));
    expect(parseEventLine(changed({ hash: HASH })).hash).toBe(HASH);
  });

  it("may end with a carriage return", () => {
    expect(parseEventLine(`${LINE}\r`)).toEqual(EVENT);
  });

  it.each(readCases<[string, string]>(import.meta, "refused"))("is refused with %s", (_, line) => {
    expect(() => parseEventLine(line)).toFailWith("BYLAW_EVENT_INVALID");
  });

  it("is not written for an event that could not be read again", () => {
    for (const event of [
      { ...EVENT, sequence: 0 },
      { ...EVENT, session_id: "s1" },
      { ...EVENT, details: [] },
    ]) {
      expect(() => formatEventLine(event as unknown as LogEvent)).toFailWith("BYLAW_EVENT_INVALID");
    }
    expect(() =>
      formatEventLine({ ...EVENT, details: { at: new Date(0) } } as unknown as LogEvent),
    ).toFailWith("BYLAW_JSON_INVALID");
  });

  it("has each key once, even if keys and colons appear inside text", () => {
    const details = { 'a":1': '","b":2', "c\\": '\\":', "": { "": "" }, d: ['"', ":", '":'] };
    expect(parseEventLine(changed({ details })).details).toEqual(details);
  });
});
