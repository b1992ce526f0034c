import { no, lacking, type CheckInput, type CheckJudge, type Finding } from "./check-input.ts";
import { TESTS_UNCHANGED, sameTests } from "./same-tests.ts";
import { isResult, resultOf, type Result } from "./test-run.ts";

const judged =
  (judge: (result: Result, input: CheckInput) => readonly Finding[]): CheckJudge =>
  (input) => {
    const result = resultOf(input);
    return isResult(result) ? judge(result, input) : result;
  };

/** Checks that the tests ran to their end and at least one failed. */
export const areRed = judged(({ exit_code, failed }) => {
  if (exit_code === 0)
    return [
      no(
        "The tests must fail in the RED phase of TDD, but they ended with exit code 0",
        "Write a test for behavior that does not exist yet",
      ),
    ];
  return failed === 0 ? [no(`No test failed, although the exit code is ${exit_code}`)] : [];
});

/** Checks that at least one test passed and none failed, according to the run itself. */
export const areGreen = judged(({ exit_code, failed, passed }) => [
  ...(failed > 0 ? [no(`${failed} test(s) failed`)] : []),
  ...(exit_code !== 0 ? [no(`Tests ended with exit code ${exit_code}`)] : []),
  ...(passed === 0 ? [no("No test passed; at least one must")] : []),
]);

/** The same, and the tests must be those that failed before. */
export const sameTestsGreen = judged((result, input) => [
  ...areGreen(input),
  ...unchanged(result.observed, input),
]);

function unchanged(
  observed: Result["observed"],
  { red, onlyAfterRed, contract }: CheckInput,
): readonly Finding[] {
  if (observed !== null && red !== null) return sameTests(red.details, observed);
  if (!onlyAfterRed || contract.evidence.source === "reported") return [];
  return [
    {
      ...lacking("No failing run of these tests is recorded, so they cannot be compared with it"),
      as: TESTS_UNCHANGED,
    },
  ];
}

/** Checks that a usable test run is on record. */
export const testsWereRun = judged(() => []);

export const TEST_RESULT_CHECKS = {
  tests_are_failing: areRed,
  all_tests_pass: sameTestsGreen,
  no_skipped_tests: judged(({ skipped }) =>
    skipped > 0 ? [no(`${skipped} test(s) skipped`)] : [],
  ),
  coverage_threshold_met: judged(({ coverage }, { check }) => {
    const least = check.threshold ?? 100;
    if (coverage === null)
      return [
        lacking("The test run reports no coverage", "Make the test command write its coverage"),
      ];
    return coverage < least ? [no(`Coverage is ${coverage} %, below ${least} %`)] : [];
  }),
} as const satisfies Readonly<Record<string, CheckJudge>>;

/** The checks and rules that judge a test run. */
export const EVIDENCE: ReadonlySet<string> = new Set([
  ...Object.keys(TEST_RESULT_CHECKS),
  "tests_were_run",
  "tests_failed",
  "tests_passed",
]);
