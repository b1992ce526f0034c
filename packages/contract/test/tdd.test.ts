import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseContract } from "../src/index.ts";
import { MIGRATED, TESTS } from "./kit.ts";

const shipped = parseContract(
  readFileSync(new URL("../../../rulesets/tdd/agent_workflow.yaml", import.meta.url)),
  "agent_workflow.yaml",
);
const migrated = parseContract(MIGRATED.text, "agent_workflow.yaml");
const withoutSchemas = (contract: typeof shipped): unknown => ({
  ...contract,
  digest: "",
  phases: contract.phases.map((phase) => ({
    ...phase,
    artifacts: phase.artifacts.map(({ schema, ...rest }) => ({ ...rest, schema: schema?.ref })),
    // The shipped contract also protects packages in every phase: from writes, and from commands
    // that install some.
    constraints: phase.constraints.flatMap(({ forbiddenPatterns, ...rest }) =>
      phase.id === "IMPL" && rest.tool === "bash"
        ? []
        : [
            {
              ...rest,
              forbiddenPatterns: forbiddenPatterns.filter(
                (pattern) => !pattern.startsWith("node_modules"),
              ),
            },
          ],
    ),
  })),
});

const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
const schemasOf = (contract: typeof shipped) =>
  new Map(
    contract.phases.flatMap(({ artifacts }) =>
      artifacts.map(({ type, schema }) => [type, ajv.compile(schema?.value ?? false)] as const),
    ),
  );
const [now, before] = [schemasOf(shipped), schemasOf(migrated)];

const LONG =
  "It does what the plan says, and every criterion of the plan is met by a test that failed before and passes now.";
const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  plan_document: {
    title: "Refund limits",
    acceptance_criteria: [{ criterion: "c", how_to_verify: "h" }],
    implementation_steps: ["one"],
    scope: { in_scope: ["a"], out_of_scope: [] },
  },
  scope_definition: { in_scope: ["a"], out_of_scope: ["b"], constraints: [] },
  test_files: {
    test_files: [{ path: "tests/a.test.ts", covers: ["c"] }],
    coverage: { acceptance_criteria_covered: ["c"] },
  },
  test_run_result: {
    command: "npm test",
    exit_code: 1,
    passed: 0,
    failed: 2,
    skipped: 0,
    timestamp: "2026-11-22T06:00:00Z",
  },
  implementation_files: {
    files_changed: [{ path: "src/a.ts", change_type: "added" }],
    summary: LONG,
  },
  review_report: {
    reviews: { security: {}, quality: {}, consistency: {}, holistic: {}, vibe_coding: {} },
    consolidated_issues: [],
    blocking_issues: [],
  },
  completion_summary: {
    summary: LONG,
    files_changed: ["src/a.ts"],
    tests_added: 2,
    acceptance_criteria_met: ["c"],
  },
};

describe("the five-phase contract", () => {
  it("has no finding and is the migrated original, except for its schemas, its packages and its test command", () => {
    expect(shipped.warnings).toEqual([]);
    expect(migrated.evidence).toMatchObject({
      source: "observed",
      testCommand: { argv: TESTS.argv, report: TESTS.report },
    });
    expect(withoutSchemas({ ...shipped, evidence: migrated.evidence })).toEqual(
      withoutSchemas(migrated),
    );
    expect(shipped.evidence.testCommand?.argv).toEqual(["node", "--test", "--test-reporter=junit"]);
  });

  it.each(Object.entries(GOOD))("WF-60 accepts a valid %s", (type, value) => {
    expect([now.get(type)?.(value), before.get(type)?.(value)]).toEqual([true, true]);
  });

  it.each([
    ["WF-63", "plan_document", "no title", { title: undefined }],
    ["WF-64", "plan_document", "a title of nine characters", { title: "Nine char" }],
    ["WF-65", "plan_document", "no criterion", { acceptance_criteria: [] }],
    [
      "WF-66",
      "plan_document",
      "a criterion without a way to verify it",
      { acceptance_criteria: [{ criterion: "c" }] },
    ],
    ["WF-67", "test_run_result", "a negative count", { failed: -1 }],
    ["WF-68", "test_run_result", "an exit code that is text", { exit_code: "1" }],
  ])("%s its schemas refuse a %s with %s", (_, type, __, change) => {
    expect(now.get(type)?.(JSON.parse(JSON.stringify({ ...GOOD[type], ...change })))).toBe(false);
  });

  it.each(Object.keys(GOOD))(
    "WF-73 its schemas refuse a %s that is null, text, a list or empty",
    (type) => {
      expect([null, "x", [], {}].map((value) => now.get(type)?.(value))).toEqual([
        false,
        false,
        false,
        false,
      ]);
    },
  );

  it("refuses everything that the original's inline schemas refuse: no field, type or bound got lost", () => {
    for (const [type, good] of Object.entries(GOOD)) {
      for (const key of Object.keys(good)) {
        for (const wrong of [undefined, null, 1.5, "", "x", [], {}, [{}], -1]) {
          const value: unknown = JSON.parse(JSON.stringify({ ...good, [key]: wrong }));
          if (before.get(type)?.(value) === false)
            expect([type, key, wrong, now.get(type)?.(value)]).toEqual([type, key, wrong, false]);
        }
      }
    }
  });
});
