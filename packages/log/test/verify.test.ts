import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLogVerifier } from "../src/index.ts";
import {
  B,
  brief,
  critic,
  dispatch,
  done,
  event,
  judge,
  linesOf,
  ready,
  resume,
  start,
  verify,
  work,
  type Entry,
} from "./log-kit.ts";

const LOG = linesOf([start(), ...done(), event("workflow_complete", { total_tasks: 1 })]);
const without = (...left: readonly number[]): readonly string[] =>
  LOG.filter((_, index) => !left.includes(index + 1));
const replaced = (line: number, text: string): readonly string[] =>
  LOG.map((old, index) => (index + 1 === line ? text : old));

describe("a line that is not a record", () => {
  it.each(readCases<[string, string]>(import.meta, "broken-lines"))(
    "is one finding, and leaves no gap in the sequences after it: %s",
    (_, text) => {
      const [first, ...more] = verify(replaced(3, text));
      expect(first).toMatchObject({ line: 3, rule: "INVALID_JSON", severity: "error" });
      expect(first?.message).toMatch(/^The line is not one JSON object: [^\n]+\.$/);
      expect(more).toEqual([]);
    },
  );

  it("accounts for one sequence each, and not for more", () => {
    const lines = [...LOG.slice(0, 2), "x", "y", ...LOG.slice(4)];
    expect(brief(verify(lines))).toEqual(["3 INVALID_JSON", "4 INVALID_JSON"]);
    expect(brief(verify([...LOG.slice(0, 2), "x", ...LOG.slice(5)]))).toEqual([
      "3 INVALID_JSON",
      "4 SEQUENCE_GAP",
    ]);
  });

  it("does not make the line after it the first one", () => {
    expect(brief(verify(["x", ...LOG.slice(1)]))).toEqual(["1 INVALID_JSON"]);
  });

  it("is reported as such if it has a byte order mark", () => {
    expect(verify([`\ufeff${LOG[0]}`])[0]?.message).toContain("byte order mark");
  });

  it("does not affect checks of later lines that do not depend on it", () => {
    const lines = linesOf([start(2), event("usage_check"), ...done("t2"), event("usage_check")]);
    expect(brief(verify(lines.map((line, index) => (index === 1 ? line.slice(5) : line))))).toEqual(
      ["2 INVALID_JSON"],
    );
  });
});

describe("a record with a wrong field", () => {
  it("still counts with its sequence, its session and its work", () => {
    const entries: readonly Entry[] = [
      start(),
      { ...dispatch(), line: { timestamp: "now" } },
      ready(),
      critic(),
    ];
    expect(judge(...entries)).toEqual(["2 INVALID_FIELD"]);
    expect(
      judge(start(), { ...dispatch(), line: { session_id: undefined } }, ready(), critic()),
    ).toEqual(["2 MISSING_FIELD"]);
    expect(judge(start(), { ...dispatch(), line: { sequence: "2" } }, ready(), critic())).toEqual([
      "2 INVALID_FIELD",
    ]);
  });

  it("is reported once per rule, with every field", () => {
    const [found, ...more] = verify(["{}"]);
    expect(more).toEqual([]);
    expect(found?.message).toContain(
      "`timestamp`, `sequence`, `session_id`, `event_type`, `agent_id`, `task_id`, `details`",
    );
  });
});

describe("the last line", () => {
  const torn = (lines: readonly string[]): readonly string[] =>
    verify(lines, { torn: true }).map(({ line, rule, severity }) => `${line} ${severity} ${rule}`);

  it("is reported separately if it was cut off, wherever it was cut", () => {
    const last = LOG.at(-1) ?? "";
    for (let length = 1; length < last.length; length += 1) {
      expect(torn([...LOG.slice(0, -1), last.slice(0, length)])).toEqual([
        `${LOG.length} warning TORN_LAST_LINE`,
      ]);
    }
  });

  it("is reported separately if a disk filled it with zeros", () => {
    expect(torn([...LOG, "\0".repeat(4_096)])).toEqual([
      `${LOG.length + 1} warning TORN_LAST_LINE`,
    ]);
    expect(torn([...LOG.slice(0, -1), `${LOG.at(-1)}\0\0`])).toEqual([
      `${LOG.length} warning TORN_LAST_LINE`,
    ]);
  });

  it("is part of the log if it is complete, and only lacks its line break", () => {
    expect(torn(LOG)).toEqual([`${LOG.length} warning TORN_LAST_LINE`]);
    expect(torn([...LOG, LOG.at(-1) ?? ""])).toContain(
      `${LOG.length + 1} error SEQUENCE_NOT_INCREASING`,
    );
  });

  it("does not count as cut off if it holds whole events or something else", () => {
    expect(torn([...LOG.slice(0, -2), `${LOG.at(-2)}${LOG.at(-1)}`])).toContain(
      `${LOG.length - 1} error INVALID_JSON`,
    );
    expect(torn([...LOG, `{"a":${"[".repeat(120)}${"]".repeat(120)}}`])).toContain(
      `${LOG.length + 1} error INVALID_JSON`,
    );
    expect(torn([...LOG, "[]"])).toContain(`${LOG.length + 1} error INVALID_JSON`);
  });

  it("is ignored if it is blank", () => {
    expect(torn([...LOG, "  "])).toEqual([]);
    expect(verify([])).toEqual([]);
  });
});

describe("the lines of a log", () => {
  it("count even if they are blank, but are then no events", () => {
    const verifier = createLogVerifier();
    const found = ["", LOG[0] ?? "", " \t", "\r", "x"].flatMap((line) => verifier.line(line));
    expect(brief(found)).toEqual(["5 INVALID_JSON"]);
    expect(verifier.events).toBe(1);
  });

  it("may end with carriage returns", () => {
    expect(verify(LOG.map((line) => `${line}\r`))).toEqual([]);
  });

  it("that are not text are findings, and the log continues", () => {
    const verifier = createLogVerifier();
    const found = [
      ...verifier.line(LOG[0] ?? ""),
      ...verifier.unreadable("bytes that are not UTF-8"),
      ...verifier.line(LOG[2] ?? ""),
      ...verifier.unreadable("bytes that are not UTF-8", { terminated: false }),
    ];
    expect(brief(found)).toEqual(["2 INVALID_JSON", "4 TORN_LAST_LINE"]);
  });

  it("never make the verifier throw, and always give the same findings", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.constantFrom(...LOG),
      fc.constantFrom(...LOG).map((line) => line.slice(0, 99)),
    );
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 20 }), (lines) => {
        const once = verify(lines);
        expect(verify(lines)).toEqual(once);
        for (const { line, message } of once) {
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(message).toMatch(/^[^\n]+$/);
        }
      }),
    );
  });

  it("always give a finding if one is missing", () => {
    for (let line = 1; line < LOG.length; line += 1) expect(verify(without(line))).not.toEqual([]);
  });

  it("always give a finding if two are swapped", () => {
    for (let line = 1; line < LOG.length; line += 1) {
      const lines = [...LOG];
      [lines[line - 1], lines[line]] = [LOG[line] ?? "", LOG[line - 1] ?? ""];
      expect(verify(lines).some(({ severity }) => severity === "error")).toBe(true);
    }
  });

  it("are read in linear time, whatever they contain", () => {
    const size = 2_000_000;
    for (const text of [
      `{"a":"${"\\".repeat(size)}`,
      `{${'"'.repeat(size)}`,
      "[".repeat(size),
      `{"a":${"[".repeat(size)}`,
      `"${" ".repeat(size)}`,
    ]) {
      expect(brief(verify([text]))).toEqual(["1 INVALID_JSON"]);
    }
  });
});

describe("a break of order", () => {
  it("is reported where it happens, and later lines are checked against the new line", () => {
    expect(judge(start(), event("usage_check", {}, { session: B }), event("usage_check"))).toEqual([
      "2 SESSION_ID_CHANGED",
    ]);
    expect(judge(start(), event("usage_check", {}, { later: -60 }), event("usage_check"))).toEqual([
      "2 TIMESTAMP_BACKWARDS",
    ]);
    expect(judge(start(), resume(B, B), event("usage_check"))).toEqual([
      "2 PREVIOUS_SESSION_MISMATCH",
    ]);
  });

  it("of two logs in one file is reported once for each thing that breaks", () => {
    const lines = [...LOG, ...linesOf([{ ...start(), session: B }, ...done()])];
    expect(brief(verify(lines))).toEqual(
      [
        "UNEXPECTED_SESSION_START",
        "SEQUENCE_NOT_INCREASING",
        "TIMESTAMP_BACKWARDS",
        "SESSION_ID_CHANGED",
      ].map((rule) => `${LOG.length + 1} ${rule}`),
    );
  });
});

it("the text of a log never makes a finding long", () => {
  const long = "x".repeat(100_000);
  const lines = linesOf([
    start(),
    event(long),
    work("task_complete", long, long),
    event("usage_check", {}, { line: { session_id: long, [long]: 1 } }),
  ]);
  for (const { message } of verify(lines)) expect(message.length).toBeLessThan(1_000);
});
