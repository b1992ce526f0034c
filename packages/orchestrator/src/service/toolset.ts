import { resolve } from "node:path";
import type { Contract } from "@bylaw/contract";
import { observeTests } from "@bylaw/evidence";
import { BylawError, present, type Json } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { canContain } from "@bylaw/process";
import { workspaceTools, type CallContext, type Tool } from "@bylaw/tools";
import type { Settings } from "../config/settings.ts";

interface ToolTerms {
  readonly settings: Settings;
  readonly contract: Contract;
  readonly run: () => Run;
  /** Files and folders that no file tool reads or writes. */
  readonly hidden: readonly string[];
  /** Texts that no answer holds. */
  readonly secrets: readonly string[];
}

/** The tools that agents call, as the settings have them. */
export function toolset({ settings, contract, run, hidden, secrets }: ToolTerms): readonly Tool<CallContext>[] {
  const { env, wrap, contain, timeout_seconds, web_hosts } = settings.tools;
  return workspaceTools({
    protect: [contract.file, ...contract.protectedPaths],
    ...{ hidden, secrets },
    programs: { env, contain, maxTimeout: timeout_seconds, ...(wrap.length === 0 ? {} : { wrap: (argv) => [...wrap, ...argv] }) },
    ...(contract.evidence.testCommand === undefined
      ? {}
      : { runTests: (context) => testsOf(run(), contract, context, { contain, hidden }) }),
    // A person has said yes to the very question by then: until that the call waits for one.
    ask: async () => ({ answer: "yes" }),
    ...(web_hosts.length === 0 ? {} : { web: { hosts: web_hosts } }),
  });
}

type Contained = Pick<ToolTerms, "hidden"> & Pick<Settings["tools"], "contain">;

// What agents wrote runs as the user of the service: it sees as little of it as what their lines start.
async function testsOf(
  run: Run,
  contract: Contract,
  { task, agent, workspace, signal }: CallContext,
  { contain, hidden }: Contained,
): Promise<Json> {
  if (task === undefined || workspace === undefined)
    throw new BylawError({
      code: "BYLAW_WORKSPACE_MISSING",
      message: "Unexpected tests of no task, expected those of one with a workspace",
    });
  if (contain === "always" && !canContain(workspace))
    throw new BylawError({
      code: "BYLAW_TEST_COMMAND_FAILED",
      message: "Unexpected system that cannot contain tests, expected namespaces of Linux and a workspace of the same user",
      fix: "run the service where it can, or set `tools.contain` to `possible`",
    });
  const { evidence, output } = await observeTests(run, contract, {
    ...{ task, agent, workspace },
    ...(signal === undefined ? {} : { signal }),
    ...(contain === "never" ? {} : { contain: { hide: hidden.map((path) => resolve(workspace, path)) } }),
  });
  const { exit_code, timed_out, counts, report_error } = evidence;
  return { exit_code, timed_out, counts, report_error, output };
}
