import type { LintDescription, LintFinding } from "./check.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";

/**
 * Looks at policy files as one pool, for what is wrong or doubtful although they load, and repeats their warnings. Findings come
 * in the order of the files and their lines. What does not load is a PolicyError of `parsePolicy`, with findings of the same shape.
 * `beside`: rules that will decide with them; of these only what the files lift is told.
 */
export async function lintPolicies(
  files: readonly PolicyFile[],
  {
    tools = DEFAULT_TOOLS,
    beside = [],
  }: { readonly tools?: ToolTable; readonly beside?: readonly PolicyFile[] } = {},
): Promise<readonly LintFinding[]> {
  // Whoever only decides does without it.
  const { runLint } = await import("./run.ts");
  return runLint(files, tools, beside);
}

/** The codes of everything that {@link lintPolicies} looks for. */
export async function lintChecks(): Promise<readonly LintDescription[]> {
  const { LINT_CHECKS } = await import("./checks.ts");
  return LINT_CHECKS.map(({ check: _, ...description }) => description);
}
