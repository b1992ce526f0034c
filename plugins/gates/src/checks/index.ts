import type { CheckJudge } from "./check-input.ts";
import { CODE_CHECKS } from "./code.ts";
import { filesAreThere } from "./named-files.ts";
import { PLAN_CHECKS } from "./plan.ts";
import { REVIEW_CHECKS, noBlockingIssues, reviewsAreThere } from "./review.ts";
import { matchesPlan } from "./scope.ts";
import { TEST_FILE_CHECKS, covered } from "./test-files.ts";
import { TEST_RESULT_CHECKS, areGreen, areRed, testsWereRun } from "./test-results.ts";

/** The checks that blockers of gates may name, with the function that judges each. */
export const CHECKS: Readonly<Record<string, CheckJudge>> = {
  ...PLAN_CHECKS,
  ...TEST_FILE_CHECKS,
  ...TEST_RESULT_CHECKS,
  ...CODE_CHECKS,
  ...REVIEW_CHECKS,
};

/**
 * Artifact rules that need more than the artifact: files, test runs, reports or what earlier gates
 * accepted.
 */
export const RULES: Readonly<Record<string, CheckJudge>> = {
  tests_exist: (input) => filesAreThere(input, "test_files", "test_files"),
  tests_cover_acceptance_criteria: covered,
  tests_were_run: testsWereRun,
  tests_failed: areRed,
  implementation_exists: (input) => filesAreThere(input, "implementation_files", "files_changed"),
  matches_plan: matchesPlan,
  tests_passed: areGreen,
  all_reviews_completed: (input) =>
    reviewsAreThere(
      input,
      input.phase.spawns.flatMap(({ models }) => models),
    ),
  no_blocking_issues: noBlockingIssues,
};
