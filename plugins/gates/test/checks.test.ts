import type { JsonObject } from "@bylaw/kernel";
import { assert, asyncProperty, constantFrom, jsonValue } from "fast-check";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { ARTIFACT_RULES, GATE_CHECKS } from "@bylaw/contract";
import { CHECKS, RULES } from "../src/checks/index.ts";
import {
  bench,
  built,
  plan,
  planned,
  reviewed,
  scope,
  tested,
  tests,
  RED,
  GREEN,
  type Bench,
} from "./kit.ts";

const at = async (phase: string): Promise<Bench> => {
  const made = await bench();
  await made.goTo(phase);
  return made;
};

it("every check of the original is implemented, and no other", () => {
  expect(Object.keys(CHECKS).sort()).toEqual(Object.keys(GATE_CHECKS).sort());
  expect(Object.keys(RULES).every((name) => Object.hasOwn(ARTIFACT_RULES, name))).toBe(true);
});

describe("plan_approval", () => {
  const withPlan = (fields: object): object => ({
    ...planned,
    plan_document: { ...plan, ...fields },
  });
  it.each([
    ["The `plan_document` artifact is missing", { scope_definition: scope }],
    ["The `plan_document` artifact is missing", { ...planned, plan_document: null }],
    ["The `plan_document` artifact is not an object", { ...planned, plan_document: "do it" }],
    ["The `plan_document` artifact is not an object", { ...planned, plan_document: [plan] }],
    ["The plan has no acceptance criterion", withPlan({ acceptance_criteria: [] })],
    ["The plan has no acceptance criterion", withPlan({ acceptance_criteria: "all" })],
    ["The plan has no acceptance criterion", { ...planned, plan_document: { title: "x" } }],
    [
      "Acceptance criterion 0 has no `how_to_verify`",
      withPlan({ acceptance_criteria: [{ criterion: "x" }] }),
    ],
    [
      "Acceptance criterion 1 has no `criterion`",
      withPlan({ acceptance_criteria: [plan.acceptance_criteria[0], { how_to_verify: "x" }] }),
    ],
    [
      "Acceptance criterion 0 has no `criterion`",
      withPlan({ acceptance_criteria: [{ criterion: "  ", how_to_verify: "x" }] }),
    ],
    [
      "Acceptance criterion 0 has no `how_to_verify`",
      withPlan({ acceptance_criteria: [{ criterion: "x", how_to_verify: "\u200b\u3164\u2800" }] }),
    ],
    [
      "The scope has no `constraints`",
      { ...planned, scope_definition: { ...scope, constraints: undefined } },
    ],
    ["The scope has no `in_scope`", { ...planned, scope_definition: { ...scope, in_scope: [""] } }],
  ])("says: %s (WF-80)", async (said, artifacts) => {
    const { ask } = await at("PLAN");
    const { blocked, text, decision } = await ask(
      "TDD",
      JSON.parse(JSON.stringify(artifacts)) as object,
    );
    expect(blocked).not.toContain("gate_pending approval");
    const blockers = decision.votes.filter(({ effect }) => effect !== "allow");
    expect(blockers.filter(({ fix }) => fix === undefined)).toEqual([]);
    expect(text).toContain(said);
    expect(text).toMatch(/Plan must include criteria: |Scope must be bounded: /);
  });
});

describe("tests_written", () => {
  it.each(readCases<[string, string | object]>(import.meta, "test-files"))(
    "says: %s",
    async (said, test_files) => {
      const { ask, observe } = await at("TDD");
      await observe(RED);
      const { decision, text } = await ask("IMPL", { ...tested, test_files });
      expect(decision.effect).toBe("deny");
      expect(text).toContain(said);
    },
  );

  it("accepts a criterion by its text, its id and its position", async () => {
    for (const covers of [
      ["It greets by name", "It greets nobody politely"],
      ["ac-1", "ac-2"],
      [1, 2],
      ["AC1", "EMPTY"],
    ]) {
      const { ask, observe } = await at("TDD");
      await observe(RED);
      const test_files = { ...tests, test_files: [{ path: "tests/a.test.js", covers }] };
      expect(
        (await ask("IMPL", { ...tested, test_files })).decision.effect,
        JSON.stringify(covers),
      ).toBe("allow");
    }
  });

  it("judges by the approved plan, not by a plan submitted now", async () => {
    const { ask, observe } = await at("TDD");
    await observe(RED);
    const smaller = {
      ...plan,
      acceptance_criteria: [{ criterion: "It is", how_to_verify: "look" }],
    };
    const test_files = { test_files: [{ path: "tests/a.test.js", covers: ["It is"] }] };
    expect(
      (await ask("IMPL", { ...tested, test_files, plan_document: smaller })).blocked,
    ).toContain("gate_blocked tests_exist_for_acceptance_criteria");
  });

  it("warns about tests without assertions, and names outside the patterns", async () => {
    const { ask, observe, put } = await at("TDD");
    put(
      "tests/a.test.js",
      "// assert(1)\nexpect(true).toBe(true);\nconst said = 'assert.equal(1, 2)';\n",
    );
    put("spec.js", "assert.ok(greet())\n");
    await observe(RED);
    const test_files = { test_files: [...tests.test_files, { path: "spec.js", covers: [] }] };
    const { told, text, decision } = await ask("IMPL", { ...tested, test_files });
    expect(decision.effect).toBe("allow");
    expect(told).toEqual([
      "gate_warning test_files_follow_convention",
      "gate_warning tests_are_meaningful",
    ]);
    expect(text).toContain("tests/a.test.js has no assertion");
    expect(text).not.toContain("spec.js has no assertion");
    expect(text).toContain("spec.js matches none of");
  });
});

describe("tests_passing", () => {
  it.each([
    ["src/secret/a.js is outside the scope", "src/secret/a.js", true],
    ["lib/a.js is not in the scope", "lib/a.js", true],
    ["src/absent.js is missing", "src/absent.js", false],
  ])("compares the changed files with the approved plan: %s", async (said, path, there) => {
    const { ask, observe, put } = await at("IMPL");
    if (there) put(path, "export const a = 1;\n");
    await observe(GREEN);
    const implementation_files = {
      ...built.implementation_files,
      files_changed: [{ path, change_type: "added" }],
    };
    const { decision, text } = await ask("REVIEW", { ...built, implementation_files });
    expect(decision.effect).toBe("deny");
    expect(text).toContain(said);
  });

  it("requires that a deleted file is gone, and no other", async () => {
    const { ask, observe, put } = await at("IMPL");
    put("src/kept.js", "export const a = 1;\n");
    await observe(GREEN);
    const deleted = (path: string): object => ({
      ...built,
      implementation_files: { files_changed: [{ path, change_type: "deleted" }] },
    });
    expect((await ask("REVIEW", deleted("src/kept.js"))).text).toContain(
      "src/kept.js is listed as deleted but is there",
    );
    expect((await ask("REVIEW", deleted("src/old.js"))).decision.effect).toBe("allow");
  });

  it("notes that a scope in prose restricts no file", async () => {
    const { ask, approve, observe, put } = await bench();
    await ask("PLAN", {});
    const words = {
      in_scope: ["greeting and/or parting"],
      out_of_scope: ["the rest, i.e. input/output"],
      constraints: ["none"],
    };
    const artifacts = { plan_document: { ...plan, scope: words }, scope_definition: words };
    await ask("TDD", artifacts);
    await approve("plan_approval", "Pat");
    await approve("plan_approval", "Olga");
    await ask("TDD", artifacts);
    await observe(RED);
    await ask("IMPL", tested);
    put("src/a.js", "export const a = 1;\n");
    await observe(GREEN);
    const { decision, told } = await ask("REVIEW", built);
    expect(decision.effect).toBe("allow");
    expect(told).toEqual(["gate_warning implementation_files.matches_plan"]);
  });
});

describe("review_approved", () => {
  it.each<readonly [string, object, JsonObject]>([
    ...readCases<[string, object, JsonObject]>(import.meta, "reviews"),
    ["has no list", { blocking_issues: undefined }, {}],
  ])("says: %s (WF-83)", async (said, fields, reported) => {
    const { ask, review } = await at("REVIEW");
    await review(reported);
    const artifacts = { review_report: { ...reviewed.review_report, ...fields } };
    const { decision, text } = await ask(
      "COMPLETE",
      JSON.parse(JSON.stringify(artifacts)) as object,
    );
    expect(decision.effect).toBe("deny");
    expect(text).toContain(said);
  });

  it("reads only the artifact that the contract names (defect 1)", async () => {
    const { ask, review } = await at("REVIEW");
    await review();
    const review_report = {
      ...reviewed.review_report,
      approved: false,
      blocking_issues: [{ description: "critical" }],
    };
    const { blocked } = await ask("COMPLETE", {
      review_report,
      review_results: { any: "thing", blocking_issues: [] },
    });
    expect(blocked).toContain("gate_blocked no_blocking_issues");
    expect((await ask("COMPLETE", { review_results: reviewed.review_report })).text).toContain(
      "The `review_report` artifact is missing",
    );
  });

  it("waits for every reviewer, and ignores reports by authors of the work, by nobody, or of a failure", async () => {
    const { ask, review } = await at("REVIEW");
    const none = await ask("COMPLETE", reviewed);
    expect(none.blocked).toContain("gate_pending reviewers");
    for (const [fields, agents] of [
      [{}, ["rex", " ANN "]],
      [{}, ["rex", "\u200b"]],
      [{ agent: null }, []],
      [{ ok: false }, ["rex", "quinn"]],
    ] as const) {
      await review(fields, agents);
      const { blocked } = await ask("COMPLETE", reviewed);
      expect(blocked, JSON.stringify(fields)).toContain("gate_blocked all_review_models_completed");
      expect(blocked).not.toContain("gate_pending reviewers");
    }
    await review();
    expect((await ask("COMPLETE", reviewed)).blocked).toEqual(["gate_pending approval"]);
  });

  it("warns about unanswered comments", async () => {
    const { ask, review } = await at("REVIEW");
    await review();
    const comments = [
      { text: "why?", status: "resolved" },
      { text: "how?", response: "so" },
      { text: "when?" },
      "where?",
    ];
    const { told, text } = await ask("COMPLETE", {
      review_report: { ...reviewed.review_report, comments },
    });
    expect(told).toEqual(["gate_warning review_comments_addressed"]);
    expect(text).toContain("2 review comment(s) have no answer: when?; where?");
  });
});

it("any JSON in place of any artifact gets a decision, never a failure (WF-73)", async () => {
  const types = [
    "plan_document",
    "scope_definition",
    "test_files",
    "implementation_files",
    "review_report",
    "test_run_result",
  ] as const;
  const ways = [
    ["PLAN", "TDD"],
    ["TDD", "IMPL"],
    ["IMPL", "REVIEW"],
    ["REVIEW", "COMPLETE"],
  ] as const;
  const asks = await Promise.all(
    ways.map(async ([from, to]) => ({ ask: (await at(from)).ask, to })),
  );
  await assert(
    asyncProperty(
      constantFrom(...asks),
      constantFrom(...types),
      constantFrom(
        "",
        "test_files",
        "files_changed",
        "reviews",
        "blocking_issues",
        "acceptance_criteria",
        "in_scope",
      ),
      jsonValue(),
      async (place, type, name, value) => {
        const given = {
          ...planned,
          ...tested,
          ...built,
          ...reviewed,
          [type]: name === "" ? value : { [name]: value },
        };
        const { decision } = await place.ask(place.to, given);
        expect(decision.votes.filter(({ code }) => code === "check_failed")).toEqual([]);
      },
    ),
    { numRuns: 80 },
  );
});
