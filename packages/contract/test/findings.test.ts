import { FINDING_CODES, type FindingCode } from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { brief, changed, CLEAN, findingsIn, pointed } from "./kit.ts";

interface Case {
  readonly code: FindingCode;
  readonly when: string;
  /** What is replaced in the clean contract, so that the finding is there. */
  readonly edits: readonly (readonly [from: string, to: string])[];
  /** What stands where it points. */
  readonly at: string;
  /** A near miss: what is replaced without the finding. */
  readonly miss: readonly (readonly [from: string, to: string])[];
}

const WAY_ON = "{ from: REVIEW, to: DONE, gate: reviewed }";
const WAY_BACK = "  - { from: REVIEW, to: BUILD, gate: reviewed, when: rejected }\n";
const CASES: readonly Case[] = [
  ...readCases<Case>(new URL("cases/findings/findings.jsonl", import.meta.url)),
  {
    code: "contract_text",
    when: "the text is blank",
    edits: [[CLEAN, " \n\t\n"]],
    at: "",
    miss: [[CLEAN, `\ufeff${CLEAN}`]],
  },
  {
    code: "duplicate_transition",
    when: "a transition stands twice",
    edits: [[WAY_BACK, WAY_BACK + WAY_BACK]],
    at: "{ from",
    miss: [],
  },
  {
    code: "unreachable_phase",
    when: "no transition leads to a phase",
    edits: [[WAY_ON, "{ from: REVIEW, to: BUILD, gate: reviewed }"]],
    at: "DONE",
    miss: [],
  },
  {
    code: "no_end",
    when: "every phase has a way out",
    edits: [[WAY_BACK, `${WAY_BACK}  - { from: DONE, to: PLAN }\n`]],
    at: "id: PLAN",
    miss: [],
  },
  {
    code: "several_ends",
    when: "a transition was lost",
    edits: [
      [
        "- { from: REVIEW, to: DONE, gate: reviewed }\n" + WAY_BACK,
        "- { from: BUILD, to: DONE, gate: built }\n",
      ],
    ],
    at: "REVIEW",
    miss: [],
  },
  {
    code: "self_transition",
    when: "a transition leads to where it begins",
    edits: [[WAY_BACK, `${WAY_BACK}  - { from: BUILD, to: BUILD, gate: built }\n`]],
    at: "{ from: BUILD, to: BUILD",
    miss: [],
  },
  {
    code: "no_way_back",
    when: "a rejected review leads nowhere",
    edits: [[WAY_BACK, ""]],
    at: WAY_ON,
    miss: [[WAY_BACK, "  - { from: REVIEW, to: PLAN }\n"]],
  },
  {
    code: "ungated_transition",
    when: "the way onwards has no gate",
    edits: [["to: REVIEW, gate: built", "to: REVIEW"]],
    at: "{ from: BUILD",
    miss: [[WAY_BACK, "  - { from: REVIEW, to: BUILD }\n"]],
  },
];

it("the clean contract has no finding", () => {
  expect(findingsIn(CLEAN)).toEqual([]);
});

describe.each(CASES)("$code, $when", ({ code, edits, at, miss }) => {
  const text = changed(CLEAN, ...edits);
  const found = findingsIn(text);

  it("is found where it stands, in one line", () => {
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

it("a fault of the original form is a warning there and an error in a contract that says `bylaw: 1`", () => {
  const faults = Object.entries(FINDING_CODES).flatMap(([code, { severity, original }]) =>
    severity === original ? [] : [`${severity} ${original} ${code}`],
  );
  expect(faults).toEqual(
    ["no_end", "no_way_back", "constraint_gap", "work_after_review", "spawned_twice"].map(
      (code) => `error warning ${code}`,
    ),
  );
});
