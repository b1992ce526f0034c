import type { Contract } from "@bylaw/contract";
import {
  BylawError,
  omitUndefined,
  type EventDraft,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import type { Containment } from "@bylaw/process";
import { frozenFiles } from "./frozen/frozen-files.ts";
import { headOf, repositoryOf } from "./git/repository.ts";
import { readReport } from "./report/read-report.ts";
import { noReport, type Report, type ReportFormat } from "./report/report.ts";
import { runTests, type RunTestsOptions } from "./run-tests.ts";
import { testRunDetails, type TestRun } from "./test-run.ts";
import { contractTree } from "./tree/contract-tree.ts";
import type { Tree } from "./tree/tree-digest.ts";

/** Records events. A `Run` of `@bylaw/log` is one. */
export interface TestRecorder {
  record(
    events: readonly Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">[],
  ): Promise<readonly LogEvent[]>;
}

/** The workspace whose tests to run, and the settings of the run. */
export interface ObserveOptions {
  readonly task: string;
  /** The agent that worked on the workspace. It is only recorded: the result is not the agent's own report. */
  readonly agent?: string;
  readonly workspace: string;
  /** Aborts the run. Then nothing is recorded. */
  readonly signal?: AbortSignal;
  /** What to hide from the tests, as in `runTests`. */
  readonly contain?: Containment;
  /** The command that is really started, as in `runTests`. */
  readonly wrap?: RunTestsOptions["wrap"];
}

/** What was observed, and what was recorded of it. */
export interface Observed {
  readonly evidence: TestRun;
  readonly events: readonly LogEvent[];
  /** The end of the command's output, for people. No event contains it. */
  readonly output: string;
}

/**
 * Runs the `test_command` of a contract in a workspace and records the result as a `test_run` event. Throws
 * BYLAW_TEST_COMMAND_MISSING, and the errors of `runTests`, `contractTree` and the recorder. Then nothing is recorded.
 */
export async function observeTests(
  run: TestRecorder,
  contract: Contract,
  options: ObserveOptions,
): Promise<Observed> {
  const { task, agent, workspace, signal, contain, wrap } = options;
  const command = contract.evidence.testCommand;
  if (command === undefined) {
    throw new BylawError({
      code: "BYLAW_TEST_COMMAND_MISSING",
      message: "The contract has no `test_command`",
      fix: "Add `test_command` to the contract, with `argv` and `format`",
      source: { file: contract.file },
    });
  }
  const before = await contractTree(contract, workspace, { fresh: true });
  const frozen = frozenFiles(contract, before);
  const head = await headIn(before.workspace);
  const { output, ...seen } = await runTests(command, {
    workspace,
    ...omitUndefined({ signal, contain, wrap }),
  });
  const evidence = evidenceOf(contract, seen, {
    observed_by: "bylaw",
    before: before.digest,
    head,
    after: await contractTree(contract, workspace, { fresh: true }),
    frozen,
  });
  return { evidence, events: await record(run, evidence, { task, agent }), output };
}

/** A run of tests that the host observed, in a sandbox or as the result of a tool that the host itself ran. */
export interface SeenTestRun {
  readonly task: string;
  readonly agent?: string;
  /** The workspace after the run. */
  readonly workspace: string;
  readonly argv: readonly string[];
  readonly exit_code: number | null;
  /** The name of the signal that ended the run. */
  readonly signal?: string | null;
  readonly timed_out?: boolean;
  readonly duration_ms: number;
  /** The report that the run wrote. Null if there is none. */
  readonly report: { readonly format: ReportFormat; readonly text: string } | null;
  /** The digest that `contractTree` returned before the run. */
  readonly tree_before: string;
  /** The digests that `frozenFiles` returned before the run. Default: the digests after the run. */
  readonly frozen?: Readonly<Record<string, string>>;
}

/**
 * Records a test run that the host observed and vouches for. Never pass on what an agent reports about its own run. Throws the
 * errors of `contractTree` and of the recorder.
 */
export async function reportTestRun(
  run: TestRecorder,
  contract: Contract,
  given: SeenTestRun,
): Promise<Omit<Observed, "output">> {
  const {
    task,
    agent,
    workspace,
    argv,
    exit_code,
    signal = null,
    timed_out = false,
    duration_ms,
    report,
    tree_before,
  } = given;
  const after = await contractTree(contract, workspace, { fresh: true });
  const read: Report =
    report === null
      ? noReport("The run wrote no report")
      : readReport(report.format, report.text, { workspace });
  const seen = { argv, exit_code, signal, timed_out, duration_ms, ...read };
  const frozen = given.frozen ?? frozenFiles(contract, after);
  const head = await headIn(after.workspace);
  const evidence = evidenceOf(contract, seen, {
    observed_by: "host",
    before: tree_before,
    head,
    after,
    frozen,
  });
  return { evidence, events: await record(run, evidence, { task, agent }) };
}

interface Around {
  readonly observed_by: TestRun["observed_by"];
  readonly before: string;
  readonly head: string | null | undefined;
  readonly after: Tree;
  readonly frozen: Readonly<Record<string, string>>;
}

type Seen = Report &
  Pick<SeenTestRun, "argv" | "exit_code" | "duration_ms"> & {
    readonly signal: string | null;
    readonly timed_out: boolean;
  };

// A run is evidence of its tests even if the commit cannot be read.
async function headIn(workspace: string): Promise<string | null | undefined> {
  const repository = repositoryOf(workspace);
  return repository === undefined ? null : headOf(repository).catch(() => undefined);
}

function evidenceOf(
  contract: Contract,
  seen: Seen,
  { observed_by, before, head, after, frozen }: Around,
): TestRun {
  const parsed = testRunDetails.safeParse({
    observed_by,
    ...seen,
    tree_before: before,
    tree_after: after.digest,
    ...(head === undefined ? {} : { head }),
    frozen,
    contract: contract.digest,
  });
  if (parsed.success) return parsed.data;
  throw new BylawError({
    code: "BYLAW_EVENT_INVALID",
    message: `Details of \`test_run\`: ${describeIssues(parsed.error)}`,
  });
}

const record = (
  run: TestRecorder,
  evidence: TestRun,
  { task, agent }: { readonly task: string; readonly agent: string | undefined },
) =>
  run.record([
    {
      event_type: "test_run",
      agent_id: agent ?? null,
      task_id: task,
      details: evidence as unknown as JsonObject,
    },
  ]);
