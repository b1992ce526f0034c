import { dirname, resolve } from "node:path";
import type { Contract } from "@bylaw/contract";
import { BylawError, type Json, type View } from "@bylaw/kernel";
import { workspaceTools, type CallContext, type Tool } from "@bylaw/tools";
import type { Settings } from "../config/settings.ts";
import { answerTo } from "../approvals/ask-user.ts";
import type { TestObserver } from "../tasks/test-observer.ts";

interface ToolOptions {
  readonly settings: Settings;
  readonly contract: Contract;
  readonly observeTestsOf: TestObserver;
  readonly view: View;
  /** Files and folders that file tools must neither read nor write. */
  readonly hidden: readonly string[];
  /** Files that file tools must not write, in addition to those of the contract. */
  readonly protect: readonly string[];
  /** Texts that no answer may contain. */
  readonly secrets: readonly string[];
  /** Aborted when the server has ended. */
  readonly over: AbortSignal;
}

/** The tools for agents, according to the settings. */
export function toolset({
  settings,
  contract,
  observeTestsOf,
  view,
  hidden,
  protect,
  secrets,
  over,
}: ToolOptions): readonly Tool<CallContext>[] {
  const { env, wrap, contain, allow_root: allowRoot, timeout_seconds, web_hosts } = settings.tools;
  const runTests = async ({
    task,
    agent,
    workspace,
    signal = over,
  }: CallContext): Promise<Json> => {
    if (task === undefined || workspace === undefined) throw noTask();
    const { evidence, output } = await observeTestsOf({ task, agent, workspace, signal });
    const { exit_code, timed_out, counts, report_error } = evidence;
    return { exit_code, timed_out, counts, report_error, output };
  };
  return workspaceTools({
    protect: [...protectedByContract(contract, settings), ...protect],
    hidden,
    secrets,
    programs: {
      env,
      contain,
      allowRoot,
      maxTimeout: timeout_seconds,
      ...(wrap.length === 0 ? {} : { wrap: (argv) => [...wrap, ...argv] }),
    },
    ...(contract.evidence.testCommand === undefined ? {} : { runTests }),
    // A person has answered the question by now, because the call waits until then.
    ask: async (question, { agent, task = null }) => ({
      answer: answerTo(view, { agent, task }, question as unknown as Json),
    }),
    ...(web_hosts.length === 0 ? {} : { web: { hosts: web_hosts } }),
  });
}

/** The paths that a contract protects: absolute, or relative to the workspace. */
export function protectedByContract(
  { file, phases, protectedPaths }: Contract,
  { workspace_per_task }: Pick<Settings, "workspace_per_task">,
): readonly string[] {
  // The folder of a task may contain copies of them, relative to that folder.
  const copies = workspace_per_task ? protectedPaths : [];
  // Files that the contract would use as schemas without its inline ones. Nobody may create them.
  const schemas = phases.flatMap(({ artifacts }) =>
    artifacts.flatMap(({ schema }) => (schema?.ref.includes(".") === true ? [schema.ref] : [])),
  );
  return [
    file,
    ...[...protectedPaths, ...schemas].map((path) => resolve(dirname(file), path)),
    ...copies,
  ];
}

const noTask = (): BylawError =>
  new BylawError({
    code: "BYLAW_WORKSPACE_MISSING",
    message: "Tests run in the workspace of a task, and there is none",
  });
