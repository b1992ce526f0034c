import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import {
  NO_LINK,
  chainEvents,
  createLogVerifier,
  formatEventLine,
  linkOf,
  type LogFinding,
} from "../src/index.ts";
import {
  A,
  anchor,
  brief,
  chained,
  done,
  event,
  linesOf,
  start,
  verify,
  type Entry,
} from "./log-kit.ts";

const ENTRIES: readonly Entry[] = [
  chained(),
  ...done(),
  event("usage_check", { remaining: 1 }),
  event("usage_check", { remaining: 2 }),
];
const LOG = linesOf(ENTRIES);
const OTHER = `sha256:${"a".repeat(64)}`;
const parsed = (line: number): LogEvent => JSON.parse(LOG[line - 1] ?? "") as LogEvent;
const judged = (lines: readonly string[]): readonly string[] => brief(verify(lines));
const errors = (lines: readonly string[]): readonly string[] =>
  brief(verify(lines).filter(({ severity }) => severity === "error"));
const replaced = (line: number, ...texts: readonly string[]): readonly string[] => [
  ...LOG.slice(0, line - 1),
  ...texts,
  ...LOG.slice(line),
];
const changed = (line: number, fields: object): string =>
  JSON.stringify({ ...parsed(line), ...fields });
/** The line with new fields and the correct hash for them. */
const rehashed = (line: number, fields: object): string => {
  const { hash: _, ...draft } = { ...parsed(line), ...fields };
  return JSON.stringify({
    ...draft,
    hash: linkOf(line === 1 ? NO_LINK : (parsed(line - 1).hash ?? ""), draft.sequence, draft),
  });
};

describe("a chain", () => {
  it("of a store is valid, whatever the details are", () => {
    const details = fc.dictionary(
      fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
      fc
        .jsonValue({ stringUnit: "grapheme" })
        .filter((value) => !JSON.stringify(value).includes("__proto__")),
    );
    const drafts = fc.array(
      fc.record({
        type: fc.constantFrom("usage_check", "tool_allowed"),
        details,
        agent: fc.option(fc.string({ unit: "grapheme" })),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(drafts, (given) => {
        const events = chainEvents(undefined, [
          {
            timestamp: "2026-01-17T09:00:00Z",
            session_id: A,
            event_type: "session_start",
            agent_id: null,
            task_id: null,
            details: {},
          },
          ...given.map(({ type, details: own, agent }) => ({
            timestamp: "2026-01-17T09:00:00Z",
            session_id: A,
            event_type: type,
            agent_id: agent,
            task_id: null,
            details: own as JsonObject,
          })),
        ]);
        expect(judged(events.map(formatEventLine))).toEqual([]);
        expect(judged(events.map((one) => JSON.stringify(one)))).toEqual([]);
      }),
    );
  });

  it("is reported with its head", () => {
    const verifier = createLogVerifier();
    expect(verifier.head).toEqual({ sequence: 0 });
    for (const line of LOG) verifier.line(line);
    expect(verifier.head).toEqual({ sequence: LOG.length, hash: parsed(LOG.length).hash });
    const bare = createLogVerifier();
    for (const line of linesOf([start(), event("usage_check")])) bare.line(line);
    expect(bare.head).toEqual({ sequence: 2 });
  });

  it("shows a change of any character of a line", () => {
    const line = LOG[3] ?? "";
    for (let at = 0; at < line.length; at += 1) {
      const character = line[at] === "1" ? "2" : "1";
      const found = verify(replaced(4, line.slice(0, at) + character + line.slice(at + 1)), {});
      expect([
        line.slice(0, at),
        found.filter(({ severity }) => severity === "error").length > 0,
      ]).toEqual([line.slice(0, at), true]);
    }
  });
});

describe("one change of a chained log is reported once", () => {
  it("at the line that was edited", () => {
    for (let line = 1; line <= LOG.length; line += 1) {
      expect(errors(replaced(line, changed(line, { details: { forged: true } })))).toEqual([
        `${line} HASH_MISMATCH`,
      ]);
    }
  });

  it("at the line whose hash was changed", () => {
    for (let line = 1; line <= LOG.length; line += 1) {
      expect(judged(replaced(line, changed(line, { hash: OTHER })))).toEqual([
        `${line} HASH_MISMATCH`,
      ]);
    }
  });

  it("at the line after one that was edited together with its hash", () => {
    for (let line = 1; line < LOG.length; line += 1) {
      expect(errors(replaced(line, rehashed(line, { agent_id: "mallory" })))).toEqual([
        `${line + 1} HASH_MISMATCH`,
      ]);
    }
  });

  it("at the line after a removed one, as an error, although a gap in sequences is only a warning", () => {
    for (let line = 2; line < LOG.length; line += 1)
      expect(errors(replaced(line))).toEqual([`${line} HASH_MISMATCH`]);
  });

  it("at an inserted line, while the line after it only repeats a sequence", () => {
    expect(
      errors(replaced(4, LOG[3] ?? "", changed(5, { hash: OTHER, agent_id: "mallory" }))),
    ).toEqual(["5 HASH_MISMATCH", "6 SEQUENCE_NOT_INCREASING"]);
  });

  it("at the line after one that was inserted with a hash that fits", () => {
    expect(errors(replaced(4, LOG[3] ?? "", rehashed(5, { agent_id: "mallory" })))).toEqual([
      "6 SEQUENCE_NOT_INCREASING",
      "6 HASH_MISMATCH",
    ]);
  });

  it("at the first of two lines that were swapped", () => {
    const lines = [...LOG.slice(0, 3), LOG[4] ?? "", LOG[3] ?? "", ...LOG.slice(5)];
    expect(errors(lines).filter((found) => found.endsWith("MISMATCH"))).toEqual([
      "4 HASH_MISMATCH",
    ]);
  });

  it("at the second of two equal lines", () => {
    const lines = replaced(4, LOG[3] ?? "", LOG[3] ?? "");
    expect(errors(lines)).toEqual(["5 SEQUENCE_NOT_INCREASING", "5 HASH_MISMATCH"]);
  });

  it("at the line whose hash was removed", () => {
    for (let line = 2; line < LOG.length; line += 1) {
      expect(judged(replaced(line, changed(line, { hash: undefined })))).toEqual([
        `${line} HASH_MISSING`,
      ]);
      expect(
        judged(replaced(line, changed(line, { hash: undefined, agent_id: "mallory" }))),
      ).toEqual([`${line} HASH_MISSING`]);
    }
  });

  it("at a line that can no longer be parsed, and the line after it is checked against what is left", () => {
    const line = LOG[3] ?? "";
    expect(judged(replaced(4, line.replace('"agent_id"', "")))).toEqual(["4 INVALID_JSON"]);
    expect(errors(replaced(4, `${line}${LOG[4]}`).toSpliced(4, 1))).toEqual(["4 INVALID_JSON"]);
    expect(judged(replaced(4, "garbage", line))).toEqual(["4 INVALID_JSON"]);
    expect(
      errors(
        replaced(4, line.replace('"agent_id"', ""), changed(5, { agent_id: "mallory" })).toSpliced(
          5,
          1,
        ),
      ),
    ).toEqual(["4 INVALID_JSON", "5 HASH_MISMATCH"]);
  });

  it("at every changed line, if there are several", () => {
    const lines = LOG.map((text, index) =>
      index === 2 || index === 5 ? changed(index + 1, { task_id: "other" }) : text,
    );
    expect(errors(lines)).toEqual(["3 HASH_MISMATCH", "6 HASH_MISMATCH"]);
  });
});

describe("a truncated line of a chained log", () => {
  const line = LOG[4] ?? "";

  it("is not part of the log if the next event follows the one before it, wherever it was cut", () => {
    for (let length = 1; length < line.length; length += 1) {
      expect(judged(replaced(4, LOG[3] ?? "", line.slice(0, length)))).toEqual(["5 TORN_LINE"]);
    }
    expect(judged(replaced(4, LOG[3] ?? "", `${line.slice(0, 50)}\0\0`, "\0\0"))).toEqual([
      "5 TORN_LINE",
      "6 TORN_LINE",
    ]);
    expect(judged([...LOG, line.slice(0, 50)])).toEqual([`${LOG.length + 1} TORN_LINE`]);
  });

  it("was an event if the next one does not follow the one before it", () => {
    expect(errors(replaced(4, (LOG[3] ?? "").slice(0, -20)))).toEqual(["5 HASH_MISMATCH"]);
    expect(
      errors(replaced(4, (LOG[3] ?? "").slice(0, 20), (LOG[4] ?? "").slice(0, 20)).toSpliced(5, 1)),
    ).toEqual(["6 HASH_MISMATCH"]);
  });

  it("is an error if it does not begin like an event, the log has no hashes, or the link before it is unknown", () => {
    expect(judged(replaced(4, LOG[3] ?? "", "garbage"))).toEqual(["5 INVALID_JSON"]);
    const bare = linesOf([start(), event("usage_check"), event("usage_check")]);
    expect(judged(bare.toSpliced(1, 0, line.slice(0, 50)))).toContain("2 INVALID_JSON");
    expect(judged([line.slice(0, 50), ...LOG])).toContain("1 INVALID_JSON");
    expect(judged(replaced(4, "garbage", line.slice(0, 50)))).toEqual([
      "4 INVALID_JSON",
      "5 INVALID_JSON",
    ]);
  });
});

describe("an attack on a chain", () => {
  it("does not succeed with a field that no hash covers", () => {
    expect(errors(replaced(4, LOG[3]?.replace(/}$/, ',"approved":true}') ?? ""))).toEqual([
      "4 HASH_MISMATCH",
    ]);
  });

  it("does not succeed with a number that parsers round differently", () => {
    const big = linesOf([chained(), event("usage_check", { remaining: 12345678901234567000 })]);
    expect(judged(big)).toEqual([]);
    expect(
      judged(big.map((line) => line.replace("12345678901234567000", "12345678901234567891"))),
    ).toEqual(["2 HASH_MISMATCH"]);
    const odd = linesOf([chained(), event("usage_check", { remaining: 9007199254740992 })]);
    for (const other of [
      "9007199254740993e0",
      "9007199254740993.0",
      "900719925474099.3e1",
      "9007199254740992.9",
    ]) {
      expect(judged(odd.map((line) => line.replace("9007199254740992", other))), other).toEqual([
        "2 HASH_MISMATCH",
      ]);
    }
    for (const same of ["9007199254740992.0", "9.007199254740992e15", "900719925474099200e-2"]) {
      expect(judged(odd.map((line) => line.replace("9007199254740992", same))), same).toEqual([]);
    }
  });

  it("does not succeed by omitting the hashes up to some event", () => {
    const lines = LOG.map((text, index) =>
      index < 3 ? changed(index + 1, { hash: undefined, agent_id: "mallory" }) : text,
    );
    expect(judged(lines)).toEqual(["4 HASH_MISSING"]);
  });

  it("does not succeed by omitting all hashes, if they are required", () => {
    const lines = LOG.map((_, index) => changed(index + 1, { hash: undefined }));
    expect(brief(verify(lines, { chained: true }))).toEqual(
      lines.map((_, index) => `${index + 1} HASH_MISSING`),
    );
    expect(judged(lines)).toEqual([]);
  });

  it("does not succeed with an anchor that has another sequence or link", () => {
    const lines = linesOf([...ENTRIES.slice(0, 4), anchor({ hash: OTHER }), ...ENTRIES.slice(4)]);
    expect(errors(lines).at(0)).toBe("5 ANCHOR_MISMATCH");
  });

  it("does not succeed by giving an event the type of an anchor", () => {
    expect(errors(replaced(4, changed(4, { event_type: "log_anchor" }))).at(0)).toBe(
      "4 ANCHOR_MISMATCH",
    );
  });

  it("does not succeed by removing the start, because the sequences show it", () => {
    expect(errors(LOG.slice(3))).toEqual(["1 FIRST_EVENT_NOT_SESSION"]);
    expect(judged(LOG.slice(3))).toContain("1 SEQUENCE_GAP");
  });

  it("does not succeed with the key of another field in a text", () => {
    const details = { note: '","hash":"sha256:","details":{}' };
    const lines = linesOf([
      chained(),
      event("usage_check", details, { agent: ',"details":{"a":1}' }),
      event("usage_check"),
    ]);
    expect(judged(lines)).toEqual([]);
    expect(errors(lines.map((line) => line.replace('\\"a\\":1', '\\"a\\":2')))).toEqual([
      "2 HASH_MISMATCH",
    ]);
  });
});

describe("the files of one log", () => {
  const files = (cut: readonly number[]): readonly (readonly string[])[] => {
    const entries = ENTRIES.flatMap((entry, index) =>
      cut.includes(index) ? [anchor(), entry] : [entry],
    );
    const lines = linesOf(entries);
    const starts = [0, ...cut.map((index, before) => index + before), lines.length];
    return starts.slice(1).map((end, index) => lines.slice(starts[index], end));
  };
  const verifyFiles = (given: readonly (readonly string[])[]): readonly LogFinding[] => {
    const verifier = createLogVerifier();
    return given.flatMap((lines) => {
      verifier.nextFile();
      return lines.flatMap((line) => verifier.line(line));
    });
  };
  const THREE = files([3, 6]);

  it("continue from one to the next", () => {
    expect(THREE.map(({ length }) => length)).toEqual([3, 4, 4]);
    expect(verifyFiles(THREE)).toEqual([]);
  });

  it("are each valid alone, and an anchor is no event", () => {
    const verifier = createLogVerifier();
    expect((THREE[1] ?? []).flatMap((line) => verifier.line(line))).toEqual([]);
    expect(verifier.events).toBe(3);
    expect(verifier.head.sequence).toBe(6);
  });

  it("are reported if one is missing or two are in the wrong order, with the line in its file", () => {
    expect(brief(verifyFiles(THREE.filter((_, index) => index !== 1))).at(0)).toBe(
      "1 ANCHOR_MISMATCH",
    );
    expect(brief(verifyFiles([THREE[0] ?? [], THREE[2] ?? [], THREE[1] ?? []])).at(0)).toBe(
      "1 ANCHOR_MISMATCH",
    );
  });

  it("are reported if the end of one was cut off", () => {
    const [first = [], ...rest] = THREE;
    expect(brief(verifyFiles([first.slice(0, -1), ...rest]))).toContain("1 ANCHOR_MISMATCH");
  });

  it("cannot start again after an anchor", () => {
    const again = linesOf([chained(), anchor(), event("session_start")]);
    expect(judged(again)).toEqual(["3 UNEXPECTED_SESSION_START"]);
    expect(judged(again.slice(1))).toEqual(["2 UNEXPECTED_SESSION_START"]);
  });

  it("may have a truncated line between them", () => {
    const [first = [], second = []] = THREE;
    const verifier = createLogVerifier();
    const found = [
      ...first.flatMap((line) => verifier.line(line)),
      ...verifier.line((LOG[3] ?? "").slice(0, 50), { terminated: false }),
      ...second.flatMap((line) => verifier.line(line)),
    ];
    expect(brief(found)).toEqual(["4 TORN_LAST_LINE"]);
  });
});
