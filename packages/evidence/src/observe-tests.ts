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

/** Where an event is recorded: a `Run` of `@bylaw/log` is one. */
export interface TestRecorder {
  record(
    events: readonly Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">[],
  ): Promise<readonly LogEvent[]>;
}

/** Whose tests are run, and where. */
export interface ObserveOptions {
  readonly task: string;
  /** Who worked on it; nobody whose word it would be. */
  readonly agent?: string;
  readonly workspace: string;
  /** Ends the run; nothing is recorded then. */
  readonly signal?: AbortSignal;
  /** What the tests do not see, as in `runTests`. */
  readonly contain?: Containment;
  /** What really starts, as in `runTests`. */
  readonly wrap?: RunTestsOptions["wrap"];
}

/** What was seen, and what was recorded of it. */
export interface Observed {
  readonly evidence: TestRun;
  readonly events: readonly LogEvent[];
  /** The end of what the command wrote, for a person to look at; it is in no event. */
  readonly output: string;
}

/**
 * Runs the `test_command` of a contract in a workspace and records what was seen as `test_run`.
 * Throws BYLAW_TEST_COMMAND_MISSING, what `runTests` and `contractTree` throw, and what the
 * recorder throws; nothing is recorded then.
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

/** A run of tests that a host saw: in a sandbox, or as the result of a tool that it ran itself. */
export interface SeenTestRun {
  readonly task: string;
  readonly agent?: string;
  /** The workspace as the run left it. */
  readonly workspace: string;
  readonly argv: readonly string[];
  readonly exit_code: number | null;
  /** The name of the signal that ended it. */
  readonly signal?: string | null;
  readonly timed_out?: boolean;
  readonly duration_ms: number;
  /** The report that the run wrote; null if there is none. */
  readonly report: { readonly format: ReportFormat; readonly text: string } | null;
  /** The digest of the tree, by `contractTree`, before the run. */
  readonly tree_before: string;
  /** By `frozenFiles`, before the run. Default: as the run left them. */
  readonly frozen?: Readonly<Record<string, string>>;
}

/**
 * Records a run of tests that a host observed. The host vouches for it: never hand on what an agent
 * says of its own run. Throws what `contractTree` and the recorder throw.
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

// A run is evidence of its tests also where nobody can say what was committed.
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
