import { realpathSync, statSync } from "node:fs";
import type { TestCommand } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import {
  isRoot,
  containmentObstacle,
  programEnvironment,
  runProgram,
  type Containment,
  type Output,
} from "@bylaw/process";
import { freshCoverage } from "./process/coverage-file.ts";
import { clearReport, takeReport, type ReportText } from "./process/report-file.ts";
import { MAX_REPORT, readReport } from "./report/read-report.ts";
import { noReport, type Report } from "./report/report.ts";

/** How and where to run tests. */
export interface RunTestsOptions {
  /** The folder of the workspace. */
  readonly workspace: string;
  /** Aborts the run, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Variables to add to those that are passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Contains the tests if the system supports that (`canContain` of `@bylaw/process`): they see no other process and nothing that
   * is hidden, and can write only to the workspace. If this process is root, they run as the owner of the workspace, or not at
   * all. An exit code from 129 to 159 is then reported as a signal. Default: the tests can do what their user can.
   */
  readonly contain?: Containment;
  /**
   * Returns the command that is really started, such as a container that runs the given one. It must see the workspace at the
   * same path. Results and events still name the given command. Default: the given command itself.
   */
  readonly wrap?: (argv: readonly string[]) => readonly string[];
}

/** The observed result of a run. */
export type RanTests = Report & {
  readonly argv: readonly string[];
  readonly exit_code: number | null;
  /** The name of the signal that ended the run. */
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  /** The end of the output, for people. No event contains it. */
  readonly output: string;
};

const SHOWN = 64 * 1024;
// In CI mode, test runners write no snapshots.
const QUIET = { CI: "1", NO_COLOR: "1", FORCE_COLOR: "0" };

/**
 * Runs a test command without a shell, in an environment without secrets, and reads its report. When this returns, the command
 * and everything in its process group have ended. Throws BYLAW_WORKSPACE_MISSING, BYLAW_TEST_COMMAND_FAILED,
 * BYLAW_REPORT_REFUSED, and the reason of an aborted signal. An unreadable report is a `report_error`.
 */
export async function runTests(
  command: TestCommand,
  { workspace, signal, env = {}, contain, wrap }: RunTestsOptions,
): Promise<RanTests> {
  const cwd = folderOf(workspace);
  const { argv, format, report, timeoutSeconds } = command;
  if (contain !== undefined && isRoot()) mustBeContained(cwd, contain);
  if (report !== undefined) clearReport(cwd, report);
  const began = Date.now();
  const {
    stdout,
    stderr,
    error,
    overflowed: _,
    ...end
  } = await runProgram({
    argv: wrap?.(argv) ?? argv,
    cwd,
    env: programEnvironment({ workspace: cwd, set: { ...QUIET, ...env } }),
    timeoutMs: timeoutSeconds * 1_000,
    keep: { stdout: { first: MAX_REPORT }, stderr: { last: SHOWN } },
    signal,
    contain,
  });
  if (error !== null) throw notStarted(error);
  const found: ReportText =
    report === undefined ? outputOf(stdout) : takeReport(cwd, report, began);
  const read =
    found.text === null
      ? noReport(found.error)
      : readReport(format, found.text, { workspace: cwd });
  const withCoverage =
    read.counts !== null && read.coverage === null
      ? { ...read, coverage: freshCoverage(cwd, began) }
      : read;
  return {
    argv: [...argv],
    ...end,
    ...withCoverage,
    output: `${stdout.text.slice(-SHOWN)}${stderr.text}`,
  };
}

function mustBeContained(workspace: string, contain: Containment): void {
  const obstacle = contain.allowRoot === true ? undefined : containmentObstacle(workspace);
  if (obstacle !== undefined)
    throw new BylawError({
      code: "BYLAW_TEST_COMMAND_FAILED",
      message: obstacle.reason,
      fix: obstacle.fix,
    });
}

const notStarted = (message: string): BylawError =>
  new BylawError({
    code: "BYLAW_TEST_COMMAND_FAILED",
    message,
    fix: "Give its path, such as `node_modules/.bin/vitest`, or a program outside the workspace",
  });

const outputOf = ({ text, cut }: Output): ReportText =>
  cut
    ? { text: null, error: `The run printed more than ${MAX_REPORT} bytes` }
    : { text, error: null };

/** Returns the real path of a workspace. Throws BYLAW_WORKSPACE_MISSING. */
export function folderOf(workspace: string): string {
  try {
    const real = realpathSync(workspace);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // The error below reports it.
  }
  throw new BylawError({
    code: "BYLAW_WORKSPACE_MISSING",
    message: `The workspace \`${workspace}\` is not a folder`,
  });
}
