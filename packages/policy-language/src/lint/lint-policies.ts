import type { LintDescription, LintFinding } from "./check.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";

/**
 * Lints policy files that load, as one pool, and repeats their warnings. Findings are in the order of the files and
 * their lines. For a file that does not load, `parsePolicy` throws a PolicyError with findings of the same shape.
 * `beside`: rules that decide together with the files. For these, only rules that the files override are reported.
 */
export async function lintPolicies(
  files: readonly PolicyFile[],
  {
    tools = DEFAULT_TOOLS,
    beside = [],
  }: { readonly tools?: ToolTable; readonly beside?: readonly PolicyFile[] } = {},
): Promise<readonly LintFinding[]> {
  // Loaded on demand, because deciding does not need it.
  const { runLint } = await import("./run.ts");
  return runLint(files, tools, beside);
}

/** The codes of all checks of {@link lintPolicies}. */
export async function lintChecks(): Promise<readonly LintDescription[]> {
  const { LINT_CHECKS } = await import("./checks.ts");
  return LINT_CHECKS.map(({ check: _, ...description }) => description);
}
