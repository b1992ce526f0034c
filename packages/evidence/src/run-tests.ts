import { realpathSync, statSync } from "node:fs";
import type { TestCommand } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import { freshCoverage } from "./process/coverage-file.ts";
import { testEnvironment } from "./process/environment.ts";
import { clearReport, takeReport, type ReportText } from "./process/report-file.ts";
import { runProcess } from "./process/run-process.ts";
import { MAX_REPORT, readReport } from "./report/read-report.ts";
import { noReport, type Report } from "./report/report.ts";

/** Where tests run. */
export interface RunTestsOptions {
  /** The folder of the repository. */
  readonly workspace: string;
  /** Ends the run and makes it reject with its reason. */
  readonly signal?: AbortSignal;
  /** Variables on top of those that are handed on. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What was seen of a run. */
export type RanTests = Report & {
  readonly argv: readonly string[];
  readonly exit_code: number | null;
  /** The name of the signal that ended it. */
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  /** The end of what it wrote, for a person to look at; it is in no event. */
  readonly output: string;
};

const SHOWN = 64 * 1024;
// A timer that is set to more goes off at once.
const MAX_TIMER = 2 ** 31 - 1;

/**
 * Runs a test command without a shell, in an environment without secrets, and reads its report. It and all that it started in its
 * process group have ended when this returns. Throws BYLAW_WORKSPACE_MISSING, BYLAW_TEST_COMMAND_FAILED, BYLAW_REPORT_REFUSED,
 * and the reason of an aborted signal. A report that cannot be read is a `report_error`.
 */
export async function runTests(command: TestCommand, { workspace, signal, env = {} }: RunTestsOptions): Promise<RanTests> {
  const cwd = folderOf(workspace);
  const { argv, format, report, timeoutSeconds } = command;
  if (report !== undefined) clearReport(cwd, report);
  const began = Date.now();
  const start = {
    argv,
    cwd,
    env: { ...testEnvironment(cwd), ...env },
    timeoutMs: Math.min(timeoutSeconds * 1_000, MAX_TIMER),
    maxOutput: MAX_REPORT,
    signal,
  };
  const { stdout, stderr, cut, ...end } = await runProcess(start);
  const found: ReportText = report === undefined ? outputOf(stdout, cut) : takeReport(cwd, report, began);
  const read = found.text === null ? noReport(found.error) : readReport(format, found.text, { workspace: cwd });
  const told = read.counts !== null && read.coverage === null ? { ...read, coverage: freshCoverage(cwd, began) } : read;
  return { argv: [...argv], ...end, ...told, output: `${stdout.slice(-SHOWN)}${stderr}` };
}

const outputOf = (text: string, cut: boolean): ReportText =>
  cut ? { text: null, error: `Unexpected output of more than ${MAX_REPORT} bytes, expected a report` } : { text, error: null };

/** The real path of a workspace. Throws BYLAW_WORKSPACE_MISSING. */
export function folderOf(workspace: string): string {
  try {
    const real = realpathSync(workspace);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Told below.
  }
  throw new BylawError({ code: "BYLAW_WORKSPACE_MISSING", message: `Unexpected workspace \`${workspace}\`, expected a folder` });
}
