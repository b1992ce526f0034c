import type { Contract } from "@bylaw/contract";
import type { TestRun } from "@bylaw/evidence";
import { quoteAll } from "@bylaw/wording";
import {
  artifactOf,
  field,
  isFindings,
  lacking,
  type CheckInput,
  type Finding,
} from "./check-input.ts";

/** The result of a test run: observed, or as the agent reports it if the contract permits that. */
export interface Result {
  readonly observed: TestRun | null;
  readonly exit_code: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly coverage: number | null;
}

/** Whether an exit code means that a signal ended the program: shells report 128 plus the signal's number. */
const isKilled = (code: number): boolean => code > 128 && code < 160;

/** The run that counts for a check, or the findings why none does. */
export function resultOf(input: CheckInput): Result | readonly Finding[] {
  const { contract, run } = input;
  const { source, testCommand } = contract.evidence;
  if (source === "reported" && run === null) return reported(input);
  if (testCommand === undefined)
    return [
      lacking(
        "The contract has no `test_command` and does not accept results that an agent reports",
        "Add `test_command: { argv: [npm, test], format: junit, report: report.xml }` to the contract, or `evidence: reported` to accept what the agent reports",
      ),
    ];
  if (run === null)
    return [
      lacking(
        "No test run is recorded since the task entered the phase",
        "Let the host run the tests (`observeTests`), then ask again",
      ),
    ];
  const faults = [...faultsOf(run.details, contract), ...staleness(input, run.details)];
  if (faults.length > 0) return faults;
  const { counts, exit_code, coverage } = run.details;
  if (counts === null || exit_code === null)
    return [lacking("The test run has no readable report")];
  const { passed, failed, skipped } = counts;
  return { observed: run.details, exit_code, passed, failed, skipped, coverage };
}

export const isResult = (result: Result | readonly Finding[]): result is Result =>
  !Array.isArray(result);

/** The reasons why a run proves nothing, neither failure nor success. */
function faultsOf(run: TestRun, contract: Contract): readonly Finding[] {
  const { argv, signal, timed_out, exit_code, counts, report_error } = run;
  const wanted = contract.evidence.testCommand?.argv ?? [];
  const problems: string[] = [];
  if (argv.length !== wanted.length || argv.some((word, at) => word !== wanted[at]))
    problems.push(
      `The run used ${quoteAll([argv.join(" ")])}, not the \`test_command\` of the contract`,
    );
  if (run.contract !== contract.digest)
    problems.push("The run belongs to another version of the contract");
  if (timed_out) problems.push("The tests timed out");
  else if (signal !== null) problems.push(`The tests were ended by ${signal}`);
  else if (exit_code === null || isKilled(exit_code))
    problems.push(`The tests were ended from outside (exit code ${exit_code ?? "unknown"})`);
  if (counts === null)
    problems.push(`The report cannot be read: ${report_error ?? "no reason given"}`);
  else if (counts.errors > 0)
    problems.push(`${counts.errors} test file(s) or test(s) could not be run at all`);
  return problems.map((detail) =>
    lacking(detail, "Fix what stops the tests from finishing, then run them again"),
  );
}

function staleness(
  { facts }: CheckInput,
  { tree_before, tree_after }: TestRun,
): readonly Finding[] {
  const again = "Run the tests again";
  const problems: string[] = [];
  if (tree_before !== tree_after) problems.push("The test run changed the workspace");
  if (facts === undefined || facts.tree === null)
    return [
      ...problems.map((detail): Finding => ({ kind: "stale", detail, fix: again })),
      lacking(
        facts?.treeProblem ?? "The workspace was not looked at, so the test run may be out of date",
      ),
    ];
  if (facts.tree !== tree_after) problems.push("The workspace has changed since the test run");
  return problems.map((detail) => ({ kind: "stale", detail, fix: again }));
}

function reported({ artifacts }: CheckInput): Result | readonly Finding[] {
  const artifact = artifactOf(artifacts, "test_run_result");
  if (isFindings(artifact)) return artifact;
  const count = (name: string): number => {
    const value = field(artifact, name);
    return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : Number.NaN;
  };
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
  const exit = field(artifact, "exit_code");
  if (
    [passed, failed, skipped].some(Number.isNaN) ||
    typeof exit !== "number" ||
    !Number.isInteger(exit)
  )
    return [
      lacking(
        "The `test_run_result` artifact must give exit_code, passed, failed and skipped as whole numbers",
      ),
    ];
  if (isKilled(exit)) return [lacking(`The tests were ended from outside (exit code ${exit})`)];
  const coverage = field(artifact, "coverage");
  return {
    observed: null,
    exit_code: exit,
    passed,
    failed,
    skipped,
    coverage: typeof coverage === "number" ? coverage : null,
  };
}
