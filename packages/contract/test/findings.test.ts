import { FINDING_CODES, type FindingCode } from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { brief, changed, CLEAN, findingsIn, pointed } from "./kit.ts";

interface Case {
  readonly code: FindingCode;
  readonly when: string;
  /** Edits of the clean contract that cause the finding. */
  readonly edits: readonly (readonly [from: string, to: string])[];
  /** The text at the place of the finding. */
  readonly at: string;
  /** A near miss: edits that do not cause the finding. */
  readonly miss: readonly (readonly [from: string, to: string])[];
}

const CASES = readCases<Case>(import.meta, "cases");

it("the clean contract has no finding", () => {
  expect(findingsIn(CLEAN)).toEqual([]);
});

it("the same text has the same findings when it is read again, and another text its own", () => {
  const broken = changed(CLEAN, ["mode: strict", "mode: *strict"]);
  const texts = [broken, broken, CLEAN, CLEAN, broken];
  const counts = texts.map((text) => brief(findingsIn(text)).length);
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts).toEqual([counts[0], counts[0], 0, 0, counts[0]]);
});

describe.each(CASES)("$code, $when", ({ code, edits, at, miss }) => {
  const text = changed(CLEAN, ...edits);
  const found = findingsIn(text);

  it("is found at its place, in one line", () => {
    const [first] = found.filter((finding) => finding.code === code);
    expect(brief(found)).toContain(`${FINDING_CODES[code].severity} ${code}`);
    expect(first?.message).toMatch(/^[^\n]+$/);
    expect(first === undefined ? "" : pointed(text, first)).toMatch(
      new RegExp(`^${at.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`),
    );
  });

  it("is not found in the near miss", () => {
    expect(findingsIn(changed(CLEAN, ...miss)).filter((finding) => finding.code === code)).toEqual(
      [],
    );
  });
});

it("every finding code has a case", () => {
  const here = new Set<string>(CASES.map(({ code }) => code));
  expect(Object.keys(FINDING_CODES).filter((code) => !here.has(code))).toEqual([]);
});

it("a fault of the original form is a warning there and an error in a contract with `bylaw: 1`", () => {
  const faults = Object.entries(FINDING_CODES).flatMap(([code, { severity, original }]) =>
    severity === original ? [] : [`${severity} ${original} ${code}`],
  );
  expect(faults).toEqual(
    ["no_end", "no_way_back", "constraint_gap", "work_after_review", "spawned_twice"].map(
      (code) => `error warning ${code}`,
    ),
  );
});
