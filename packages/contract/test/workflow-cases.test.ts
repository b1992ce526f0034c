import { ContractError, lintContractFile, parseContract } from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { brief, changed, CLEAN, findingsIn, MIGRATED, ORIGINAL, ORIGINAL_FILE } from "./kit.ts";

/** The least that loads, in the original form. */
const LEAST = `phases:
  - id: PLAN
    name: Planning
    allowed_tools: [read_files]
transitions: []
enforcement:
  mode: strict
  phase_tokens:
    enabled: true
    expiry_seconds: 7200
`;
const TWO = `phases:
  - id: PLAN
    name: Planning
    allowed_tools: [read_files]
  - id: BUILD
    name: Building
    allowed_tools: [bash]
transitions:
  - from: PLAN
    to: BUILD
enforcement: { mode: strict }
`;

const messagesIn = (text: string): readonly string[] =>
  findingsIn(text).flatMap(({ severity, message }) => (severity === "error" ? [message] : []));

describe("the loader", () => {
  it("WF-01 a valid file loads with its five phases", () => {
    expect(brief(lintContractFile(ORIGINAL_FILE).findings)).toContain("error tests_unobservable");
    const { phases, initial, ends } = parseContract(MIGRATED.text, "c.yaml");
    expect(phases.map(({ id }) => id)).toEqual(["PLAN", "TDD", "IMPL", "REVIEW", "COMPLETE"]);
    expect([initial, ends]).toEqual(["PLAN", ["COMPLETE"]]);
  });

  it.each(
    readCases<readonly [string, string, string, readonly string[]]>(
      new URL("cases/workflow-cases/missing-keys.jsonl", import.meta.url),
    ),
  )("%s missing %s: every missing key is named", (_, __, text, keys) => {
    expect(messagesIn(text).map((message) => / has no (`\w+`)/.exec(message)?.[1])).toEqual(keys);
  });

  it("WF-05 an empty file is called empty", () => {
    expect(messagesIn("")).toEqual(["The contract is empty"]);
  });

  it.each([
    [
      "WF-06",
      "phases that are no list",
      changed(LEAST, [
        "phases:\n  - id: PLAN\n    name: Planning\n    allowed_tools: [read_files]\n",
        "phases: PLAN\n",
      ]),
      "`phases` must be a list, not `PLAN`",
    ],
    [
      "WF-07",
      "no phase",
      changed(LEAST, [
        "phases:\n  - id: PLAN\n    name: Planning\n    allowed_tools: [read_files]\n",
        "phases: []\n",
      ]),
      "`phases` must be a list of at least one item, not an empty list",
    ],
    [
      "WF-12",
      "allowed tools that are no list",
      changed(LEAST, ["[read_files]", "read_files"]),
      "`phases[0].allowed_tools` must be a list, not `read_files`",
    ],
    [
      "WF-13",
      "forbidden tools that are no list",
      changed(LEAST, ["[read_files]", "[read_files]\n    forbidden_tools: bash"]),
      "`phases[0].forbidden_tools` must be a list, not `bash`",
    ],
    [
      "WF-14",
      "transitions that are no list",
      changed(LEAST, ["transitions: []", "transitions: {}"]),
      "`transitions` must be a list, not a mapping",
    ],
    [
      "WF-15",
      "a transition without from",
      changed(TWO, ["- from: PLAN\n    to", "- to"]),
      "`transitions[0]` has no `from`; it needs text",
    ],
    [
      "WF-16",
      "a transition without to",
      changed(TWO, ["- from: PLAN\n    to: BUILD", "- from: PLAN"]),
      "`transitions[0]` has no `to`; it needs text",
    ],
    [
      "WF-17",
      "a transition from nowhere",
      changed(TWO, ["from: PLAN", "from: PLANS"]),
      "Unknown phase `PLANS`; the contract has `PLAN`, `BUILD`",
    ],
    [
      "WF-18",
      "a transition to nowhere",
      changed(TWO, ["to: BUILD", "to: SHIP"]),
      "Unknown phase `SHIP`; the contract has `PLAN`, `BUILD`",
    ],
    [
      "WF-19",
      "enforcement that is no mapping",
      changed(TWO, ["enforcement: { mode: strict }", "enforcement: strict"]),
      "`enforcement` must be a mapping, not `strict`",
    ],
    [
      "WF-20",
      "a mode that is none",
      changed(LEAST, ["mode: strict", "mode: audit"]),
      "`enforcement.mode` must be one of `strict`, `permissive`, `advisory`, not `audit`",
    ],
    [
      "WF-21",
      "phase tokens that are no mapping",
      changed(TWO, ["mode: strict", "mode: strict, phase_tokens: [on]"]),
      "`enforcement.phase_tokens` must be a mapping, not a list",
    ],
    [
      "WF-22",
      "enabled that is no truth value",
      changed(LEAST, ["enabled: true", 'enabled: "yes"']),
      "`enforcement.phase_tokens.enabled` must be true or false, not `yes`",
    ],
    [
      "WF-23",
      "an expiry that is no whole number",
      changed(LEAST, ["7200", "2h"]),
      "`enforcement.phase_tokens.expiry_seconds` must be a number, not `2h`",
    ],
    [
      "WF-24",
      "a negative expiry",
      changed(LEAST, ["7200", "-1"]),
      "`enforcement.phase_tokens.expiry_seconds` must be at least 1, not `-1`",
    ],
    [
      "WF-25",
      "an expiry of nothing",
      changed(LEAST, ["7200", "0"]),
      "`enforcement.phase_tokens.expiry_seconds` must be at least 1, not `0`",
    ],
  ])("%s %s is refused", (_, __, text, message) => {
    expect(messagesIn(text)).toContain(message);
  });

  it("WF-08 WF-09 WF-10 a phase without id, name and allowed tools is told by its index, all fields at once", () => {
    const text = changed(TWO, [
      "id: BUILD\n    name: Building\n    allowed_tools: [bash]",
      "description: Built",
    ]);
    const missing = messagesIn(text).flatMap(
      (message) => /^`phases\[1\]` has no (`\w+`)/.exec(message)?.[1] ?? [],
    );
    expect(missing).toEqual(["`id`", "`name`", "`allowed_tools`"]);
  });

  it("WF-11 a second phase of one id is refused", () => {
    expect(messagesIn(changed(TWO, ["id: BUILD", "id: PLAN"]))).toContain(
      "The phase `PLAN` is given twice",
    );
  });

  const long = "P".repeat(2000);
  it.each([
    ["a single phase without transitions", LEAST],
    ["no tool at all", changed(LEAST, ["[read_files]", "[]"])],
    [
      "an empty list of forbidden tools",
      changed(LEAST, ["[read_files]", "[read_files]\n    forbidden_tools: []"]),
    ],
    [
      "a circle",
      changed(TWO, ["    to: BUILD\n", "    to: BUILD\n  - { from: BUILD, to: PLAN }\n"]),
    ],
    [
      "two ways from one phase",
      changed(TWO, [
        "transitions:\n",
        "  - { id: SHIP, name: Ship, allowed_tools: [bash] }\ntransitions:\n  - { from: PLAN, to: SHIP }\n",
      ]),
    ],
    ["a long id", changed(LEAST, ["id: PLAN", `id: ${long}`])],
    [
      "an id with special characters",
      changed(LEAST, ["id: PLAN", "id: \"Ph\u00e4se \u{1f680} <1> {x} | 'y'\""]),
    ],
    ["an id that every object has", changed(LEAST, ["id: PLAN", "id: constructor"])],
  ])("WF-26 %s is valid", (_, text) => {
    expect(parseContract(text, "c.yaml").phases.length).toBeGreaterThan(0);
  });

  it("WF-70 an artifact without a schema is required, and held to its rules alone", () => {
    const text = changed(
      MIGRATED.text,
      ['        schema: "scope.json"\n', ""],
      ["  scope.json:\n", "  other.json:\n"],
    );
    const { phases } = parseContract(text, "c.yaml");
    expect(
      phases[0]?.artifacts.map(({ type, schema, rules }) => [
        type,
        schema?.ref,
        rules.map(({ check }) => check),
      ]),
    ).toEqual([
      ["plan_document", "plan.json", ["has_acceptance_criteria", "has_implementation_steps"]],
      ["scope_definition", undefined, ["has_in_scope", "has_out_of_scope"]],
    ]);
  });

  it("WF-117 each of the three modes loads, and tool calls are held to it unless the contract says otherwise", () => {
    for (const mode of ["strict", "permissive", "advisory"]) {
      const { enforcement } = parseContract(
        changed(LEAST, ["mode: strict", `mode: ${mode}`]),
        "c.yaml",
      );
      expect([enforcement.mode, enforcement.tools.mode]).toEqual([mode, mode]);
    }
    const warned = parseContract(
      changed(LEAST, [
        "mode: strict",
        "mode: strict\n  tool_enforcement: { violation_action: warn }",
      ]),
      "c.yaml",
    );
    expect([warned.enforcement.tools.mode, warned.warnings.map(({ code }) => code)]).toEqual([
      "permissive",
      ["weaker_tools"],
    ]);
  });

  it("WF-27 without a mode the contract is strict", () => {
    expect(parseContract(changed(LEAST, ["  mode: strict\n", ""]), "c.yaml").enforcement.mode).toBe(
      "strict",
    );
  });
});

describe("what the original let through", () => {
  it.each(
    readCases<readonly [string, string, readonly (readonly [string, string])[], string]>(
      new URL("cases/workflow-cases/errors.jsonl", import.meta.url),
    ),
  )("%s %s is an error with its place", (_, __, edits, expected) => {
    const text = changed(ORIGINAL, ...edits);
    const found = findingsIn(text).filter(
      (finding) => `${finding.severity} ${finding.code}` === expected,
    );
    expect(found).toHaveLength(1);
    const differs =
      text.split("\n").findIndex((line, index) => line !== ORIGINAL.split("\n")[index]) + 1;
    if (expected !== "error unreachable_phase") expect(found[0]?.line).toBe(differs);
    expect(found[0]?.column).toBeGreaterThan(1);
    expect(() => parseContract(text, "c.yaml")).toThrow(ContractError);
  });

  it("WF-118 a review without a way back is a warning in the original and an error in a new contract", () => {
    const way = "  - { from: REVIEW, to: BUILD, gate: reviewed, when: rejected }\n";
    expect(brief(findingsIn(ORIGINAL))).toContain("warning no_way_back");
    expect(brief(findingsIn(changed(CLEAN, [way, ""])))).toEqual(["error no_way_back"]);
  });

  it("WF-119 an approval gate that nobody may approve, or that advances by itself, is refused", () => {
    expect(
      brief(findingsIn(changed(ORIGINAL, ['        approvers: ["human", "orchestrator"]\n', ""]))),
    ).toContain("error approval_without_approvers");
    expect(
      brief(
        findingsIn(
          changed(ORIGINAL, [
            '        approvers: ["human", "orchestrator"]\n',
            '        approvers: ["human"]\n        auto_advance: true\n',
          ]),
        ),
      ),
    ).toContain("error approval_conflict");
  });

  it("WF-73 a schema of nothing or of text is a finding and no exception", () => {
    expect(
      brief(
        findingsIn(
          changed(CLEAN, [
            "  plan:\n    type: object\n    required: [title]\n    properties:\n      title: { type: string, minLength: 1 }\n",
            "  plan: ~\n",
          ]),
        ),
      ),
    ).toContain("error wrong_value");
    expect(brief(findingsIn(changed(CLEAN, ["type: object", "type: objekt"])))).toEqual([
      "error schema_invalid",
    ]);
  });
});
