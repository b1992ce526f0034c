export const REVIEWS = ["security", "quality", "consistency", "holistic", "vibe_coding"] as const;

const at = "2026-01-02T10:00:00.000Z";
const counts = { command: "node --test", skipped: 0, timestamp: at };

/** The artifacts that agents hand in during the walk. */
export const HANDED = {
  plan: {
    plan_document: {
      title: "Add two numbers",
      acceptance_criteria: [
        { criterion: "adds numbers", how_to_verify: "node --test" },
        { criterion: "refuses text", how_to_verify: "node --test" },
      ],
      implementation_steps: ["write src/add.js"],
      scope: { in_scope: ["src/add.js"], out_of_scope: ["src/secret/**"] },
    },
    scope_definition: {
      in_scope: ["src/add.js"],
      out_of_scope: ["src/secret/**"],
      constraints: ["no dependency"],
    },
  },
  tests: {
    test_files: {
      test_files: [{ path: "tests/add.test.js", covers: ["adds numbers", "refuses text"] }],
      coverage: { acceptance_criteria_covered: 2 },
    },
    test_run_result: { ...counts, exit_code: 1, passed: 0, failed: 2 },
  },
  code: {
    implementation_files: {
      files_changed: [{ path: "src/add.js", change_type: "added" }],
      summary: "A function that adds two numbers and refuses what is no number.",
    },
    test_run_result: { ...counts, exit_code: 0, passed: 2, failed: 0 },
  },
  review: (blocking_issues: readonly string[] = []) => ({
    review_report: {
      reviews: Object.fromEntries(
        REVIEWS.map((name) => [name, { approved: blocking_issues.length === 0 }]),
      ),
      consolidated_issues: [],
      blocking_issues: [...blocking_issues],
    },
  }),
  done: {
    completion_summary: {
      summary:
        "The adder adds two numbers and refuses text. It was planned, tested before it was written, written, reviewed twice, and committed.",
      files_changed: ["src/add.js", "tests/add.test.js"],
      tests_added: 2,
      acceptance_criteria_met: ["adds numbers", "refuses text"],
    },
  },
} as const;

// Imports the module under test inside each test, so that a missing module fails these tests and not their file.
export const TESTS = `import test from "node:test";
import assert from "node:assert";

const load = () => import("../src/add.js");

test("adds numbers", async () => {
  const { add } = await load();
  assert.strictEqual(add(1, 2), 3);
});

test("refuses text", async () => {
  const { add } = await load();
  assert.throws(() => add("1", 2), TypeError);
});
`;

export const CODE = `export function add(one, other) {
  if (typeof one !== "number") throw new TypeError("one is no number");
  return one + other;
}
`;
