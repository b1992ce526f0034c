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
  it("takes details of as many levels as any data may have, and no more", () => {
    const deep = (levels: number): LogEvent => ({
      ...EVENT,
      details: JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels)) as JsonObject,
    });
    expect(parseEventLine(formatEventLine(deep(100)))).toEqual(deep(100));
    expect(() => formatEventLine(deep(101))).toThrow(
      expect.objectContaining({ code: "BYLAW_JSON_INVALID" }),
    );
    expect(() => parseEventLine(JSON.stringify(deep(101)))).toThrow(
      expect.objectContaining({ code: "BYLAW_EVENT_INVALID" }),
    );
  });

  it("is read into what was written, and written into what was read", () => {
    fc.assert(
      fc.property(events, (event) => {
        const line = formatEventLine(event as LogEvent);
        expect(line).not.toMatch(/[\n\r]/);
        expect(formatEventLine(parseEventLine(line))).toBe(line);
        expect(parseEventLine(line)).toEqual(JSON.parse(JSON.stringify(event)));
      }),
    );
  });

  it("has the fields in their order, whatever order they were given in", () => {
    const { details, ...others } = EVENT;
    expect(formatEventLine({ details, ...others })).toBe(LINE);
    expect(formatEventLine({ hash: HASH, ...EVENT })).toBe(changed({ hash: HASH }));
    expect(parseEventLine(changed({ hash: HASH })).hash).toBe(HASH);
  });

  it("may end with a carriage return", () => {
    expect(parseEventLine(`${LINE}\r`)).toEqual(EVENT);
  });

  it.each([
    ["text that is no JSON", "session_start"],
    ["nothing", ""],
    ["a list", `[${LINE}]`],
    ["null", "null"],
    ["a number", "1"],
    ["two events", `${LINE}${LINE}`],
    ["half an event", LINE.slice(0, 80)],
    ["a byte order mark", `\ufeff${LINE}`],
    ["a NUL byte", `${LINE}\0`],
    ["NUL bytes alone", "\0\0\0\0"],
    ["a raw control character", LINE.replace("plan.md", "plan\u0001md")],
    ["a key that stands twice", LINE.replace('"agent_id":null', '"agent_id":null,"agent_id":"a1"')],
    [
      "a key that stands twice with a blank before the colon",
      LINE.replace('"agent_id":null', '"agent_id":null,"agent_id" \t:"a1"'),
    ],
    [
      "a key that stands twice in other letters",
      LINE.replace('"agent_id":null', '"agent_id":null,"\\u0061gent_id":"a1"'),
    ],
    [
      "a key that stands twice in the details",
      LINE.replace('"total_tasks":1', '"total_tasks":1,"total_tasks":0'),
    ],
    ["a lone surrogate", LINE.replace("plan.md", "\\ud800")],
    ["a number beyond every double", LINE.replace('"total_tasks":1', '"total_tasks":1e999')],
    ["the key `__proto__`", LINE.replace("plan_file", "__proto__")],
    [
      "more than 100 levels",
      changed({ details: { a: JSON.parse(`${"[".repeat(120)}${"]".repeat(120)}`) as unknown } }),
    ],
    ["a field too many", changed({ event: "x" })],
    ["fields in another order", LINE.replace(/^{(.*?),("sequence":1),/, "{$2,$1,")],
    ["a hash that is none", changed({ hash: "abc" })],
    [
      "the hash before the details",
      JSON.stringify({ ...EVENT, details: undefined, hash: HASH }).replace(/}$/, ',"details":{}}'),
    ],
    ...Object.keys(EVENT).map((field): [string, string] => [
      `no ${field}`,
      changed({ [field]: undefined }),
    ]),
    ["a time without its zone", changed({ timestamp: "2026-01-17T09:01:00" })],
    ["a time that no clock shows", changed({ timestamp: "2026-13-17T09:01:00Z" })],
    ["a time in numbers", changed({ timestamp: 1_768_640_460 })],
    ["a sequence of 0", changed({ sequence: 0 })],
    ["a sequence in text", changed({ sequence: "1" })],
    ["a sequence that is not whole", changed({ sequence: 1.5 })],
    ["a sequence beyond what a double counts", changed({ sequence: 2 ** 53 })],
    ["a session that is no UUID", changed({ session_id: "s1" })],
    ["an event type without a name", changed({ event_type: "" })],
    ["an agent that is a number", changed({ agent_id: 1 })],
    ["a task that is a list", changed({ task_id: [] })],
    ["details that are a list", changed({ details: [] })],
    ["details that are null", changed({ details: null })],
  ])("is refused with %s", (_, line) => {
    expect(() => parseEventLine(line)).toThrow(
      expect.objectContaining({ code: "BYLAW_EVENT_INVALID" }),
    );
  });

  it("is not written of what could not be read again", () => {
    for (const event of [
      { ...EVENT, sequence: 0 },
      { ...EVENT, session_id: "s1" },
      { ...EVENT, details: [] },
    ]) {
      expect(() => formatEventLine(event as unknown as LogEvent)).toThrow(
        expect.objectContaining({ code: "BYLAW_EVENT_INVALID" }),
      );
    }
    expect(() =>
      formatEventLine({ ...EVENT, details: { at: new Date(0) } } as unknown as LogEvent),
    ).toThrow(expect.objectContaining({ code: "BYLAW_JSON_INVALID" }));
  });

  it("names each key once wherever keys and colons stand inside of text", () => {
    const details = { 'a":1': '","b":2', "c\\": '\\":', "": { "": "" }, d: ['"', ":", '":'] };
    expect(parseEventLine(changed({ details })).details).toEqual(details);
  });
});
