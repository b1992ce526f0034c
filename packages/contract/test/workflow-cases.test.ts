import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ContractError, lintContractFile, parseContract } from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { brief, changed, CLEAN, findingsIn, MIGRATED, ORIGINAL, ORIGINAL_FILE } from "./kit.ts";

/** The smallest contract that loads, in the original form. */
const MINIMAL = readFileSync(
  join(import.meta.dirname, "fixtures/workflow-cases-least.yaml"),
  "utf8",
);
const TWO = readFileSync(join(import.meta.dirname, "fixtures/workflow-cases-two.yaml"), "utf8");

const messagesIn = (text: string): readonly string[] =>
  findingsIn(text).flatMap(({ severity, message }) => (severity === "error" ? [message] : []));

describe("the loader", () => {
  it("WF-01 a valid file loads with its five phases", () => {
    expect(brief(lintContractFile(ORIGINAL_FILE).findings)).toContain("error tests_unobservable");
    const { phases, initial, ends } = parseContract(MIGRATED.text, "c.yaml");
    expect(phases.map(({ id }) => id)).toEqual(["PLAN", "TDD", "IMPL", "REVIEW", "COMPLETE"]);
    expect([initial, ends]).toEqual(["PLAN", ["COMPLETE"]]);
  });

  it.each(readCases<[string, string, string, string[]]>(import.meta, "missing-keys"))(
    "%s missing %s: every missing key is named",
    (_, __, text, keys) => {
      expect(messagesIn(text).map((message) => / has no (`\w+`)/.exec(message)?.[1])).toEqual(keys);
    },
  );

  it("WF-05 an empty file is reported as empty", () => {
    expect(messagesIn("")).toEqual(["The contract is empty"]);
  });

  it.each(readCases<[string, string, string, string]>(import.meta, "refused"))(
    "%s %s is refused",
    (_, __, text, message) => {
      expect(messagesIn(text)).toContain(message);
    },
  );

  it("WF-08 WF-09 WF-10 a phase without id, name and allowed tools is named by its index, with all fields at once", () => {
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

  it.each(readCases<[string, string]>(import.meta, "valid"))("WF-26 %s is valid", (_, text) => {
    expect(parseContract(text, "c.yaml").phases.length).toBeGreaterThan(0);
  });

  it("WF-70 an artifact without a schema is required, and only its rules apply", () => {
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

  it("WF-117 each of the three modes loads and applies to tool calls, unless the contract says otherwise", () => {
    for (const mode of ["strict", "permissive", "advisory"]) {
      const { enforcement } = parseContract(
        changed(MINIMAL, ["mode: strict", `mode: ${mode}`]),
        "c.yaml",
      );
      expect([enforcement.mode, enforcement.tools.mode]).toEqual([mode, mode]);
    }
    const warned = parseContract(
      changed(MINIMAL, [
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
    expect(
      parseContract(changed(MINIMAL, ["  mode: strict\n", ""]), "c.yaml").enforcement.mode,
    ).toBe("strict");
  });
});

describe("faults that the original form let pass", () => {
  it.each(readCases<[string, string, [string, string][], string]>(import.meta, "errors"))(
    "%s %s is an error with its place",
    (_, __, edits, expected) => {
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
    },
  );

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

  it("WF-73 a schema that is empty or text is a finding, and does not throw", () => {
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
