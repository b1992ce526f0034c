import type { PolicyFile } from "../load/policy-file.ts";
import { readToml } from "../load/toml.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { LintFinding } from "./check.ts";
import { LINT_CHECKS } from "./checks.ts";
import { liftedRule } from "./checks/lifted-rule.ts";
import { lintFiles } from "./pool.ts";

/** Runs every check over files that form one pool. */
export function runLint(
  files: readonly PolicyFile[],
  tools: ToolTable,
  beside: readonly PolicyFile[] = [],
): readonly LintFinding[] {
  const checks =
    beside.length === 0 ? LINT_CHECKS : LINT_CHECKS.filter((one) => one !== liftedRule);
  const own = new Set(files.map(({ file }) => file));
  const found = [
    ...files.flatMap(({ warnings }) => warnings),
    // An empty file is reported only if no file has rules.
    ...(files.some(({ rules }) => rules.length > 0) ? [] : files.flatMap(ofNothing)),
    ...lintFiles(files, checks, tools),
    ...(beside.length === 0 ? [] : lintFiles([...files, ...beside], [liftedRule], tools)).filter(
      ({ file }) => own.has(file),
    ),
  ];
  const place = new Map(files.map(({ file }, at) => [file, at]));
  const weight = { error: 0, warning: 1, info: 2 } as const;
  return found.toSorted(
    (a, b) =>
      (place.get(a.file) ?? 0) - (place.get(b.file) ?? 0) ||
      a.line - b.line ||
      a.column - b.column ||
      weight[a.severity] - weight[b.severity],
  );
}

// The text still contains rules that `without` removed.
function ofNothing({ file, rules, compatPolicy, text }: PolicyFile): readonly LintFinding[] {
  if (rules.length > 0 || (compatPolicy?.rules.length ?? 0) > 0) return [];
  const { rules: own, rule } = readToml(text);
  if ([own, rule].some((list) => Array.isArray(list) && list.length > 0)) return [];
  return [
    {
      ...{ file, line: 1, column: 1, code: "no_rules", severity: "info" },
      message: "The policy has no rules",
      fix: "Add a rule; `bylaw init` writes some to begin with",
    },
  ];
}
