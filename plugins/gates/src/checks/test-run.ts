import type { Contract } from "@bylaw/contract";
import type { TestRun } from "@bylaw/evidence";
import { quoteAll } from "@bylaw/wording";
import { artifactOf, field, isFindings, lacking, type CheckInput, type Finding } from "./check-input.ts";

/** What a test run came to, observed or, where the contract permits it, as the agent tells it. */
export interface Result {
  readonly observed: TestRun | null;
  readonly exit_code: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly coverage: number | null;
}

/** Whether an exit code is one that a shell gives where a signal ended a program: 128 and its number. */
const isKilled = (code: number): boolean => code > 128 && code < 160;

/** The run that counts for a check, or why none does. */
export function resultOf(input: CheckInput): Result | readonly Finding[] {
  const { contract, run } = input;
  const { source, testCommand } = contract.evidence;
  if (source === "reported" && run === null) return reported(input);
  if (testCommand === undefined)
    return [
      lacking(
        "The contract has no `test_command`, and does not let the word of an agent count",
        "add `test_command: { argv: [npm, test], format: junit, report: report.xml }` to the contract, or `evidence: reported` to take the agent's word",
      ),
    ];
  if (run === null)
    return [lacking("No test run is on record since the phase was entered", "let the host run the tests (`observeTests`), and ask again")];
  const faults = [...faultsOf(run.details, contract), ...staleness(input, run.details)];
  if (faults.length > 0) return faults;
  const { counts, exit_code, coverage } = run.details;
  if (counts === null || exit_code === null) return [lacking("The test run has no readable report")];
  const { passed, failed, skipped } = counts;
  return { observed: run.details, exit_code, passed, failed, skipped, coverage };
}

export const isResult = (result: Result | readonly Finding[]): result is Result => !Array.isArray(result);

/** Why a run proves nothing, neither red nor green. */
function faultsOf(run: TestRun, contract: Contract): readonly Finding[] {
  const { argv, signal, timed_out, exit_code, counts, report_error } = run;
  const wanted = contract.evidence.testCommand?.argv ?? [];
  const told: string[] = [];
  if (argv.length !== wanted.length || argv.some((word, at) => word !== wanted[at]))
    told.push(`The run is of ${quoteAll([argv.join(" ")])} and not of the \`test_command\` of the contract`);
  if (run.contract !== contract.digest) told.push("The run was made under another contract");
  if (timed_out) told.push("The tests took too long and were ended");
  else if (signal !== null) told.push(`The tests were ended by ${signal}`);
  else if (exit_code === null || isKilled(exit_code)) told.push(`The tests were ended from outside (exit code ${exit_code ?? "unknown"})`);
  if (counts === null) told.push(`The report cannot be read: ${report_error ?? "no reason given"}`);
  else if (counts.errors > 0) told.push(`${counts.errors} test file(s) or test(s) could not be run at all`);
  return told.map((detail) => lacking(detail, "mend what keeps the tests from running to their end, and run them again"));
}

function staleness({ facts }: CheckInput, { tree_before, tree_after }: TestRun): readonly Finding[] {
  const again = "run the tests again on the workspace as it is now";
  const told: string[] = [];
  if (tree_before !== tree_after) told.push("The test run changed the workspace that it ran on");
  if (facts === undefined || facts.tree === null)
    return [
      ...told.map((detail): Finding => ({ kind: "stale", detail, fix: again })),
      lacking(facts?.treeProblem ?? "The workspace was not looked at, so nobody knows whether the test run is older"),
    ];
  if (facts.tree !== tree_after) told.push("The workspace has changed since the test run");
  return told.map((detail) => ({ kind: "stale", detail, fix: again }));
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
  if ([passed, failed, skipped].some(Number.isNaN) || typeof exit !== "number" || !Number.isInteger(exit))
    return [lacking("Artifact test_run_result does not say exit_code, passed, failed and skipped in whole numbers")];
  if (isKilled(exit)) return [lacking(`The tests were ended from outside (exit code ${exit})`)];
  const coverage = field(artifact, "coverage");
  return { observed: null, exit_code: exit, passed, failed, skipped, coverage: typeof coverage === "number" ? coverage : null };
}
