import type { LintFinding, LintSeverity } from "@bylaw/policy-language";
import { count, place, plain, type Paint } from "./text.ts";

const STYLE = { error: "red", warning: "yellow", info: "dim" } as const;

/** Prints findings for a person, one paragraph each, and a summary. */
export function lintText(findings: readonly LintFinding[], files: number, paint: Paint): string {
  const lines = findings.flatMap(({ severity, code, message, fix, ...source }) => [
    `${place(source)} ${paint(STYLE[severity], severity)} ${code}: ${plain(message)}`,
    ...(fix === undefined ? [] : [`  ${paint("dim", "fix:")} ${plain(fix)}`]),
  ]);
  return [...lines, ...(lines.length === 0 ? [] : [""]), summary(findings, files)].join("\n");
}

function summary(findings: readonly LintFinding[], files: number): string {
  const counts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const found = findings.filter((finding) => finding.severity === severity).length;
    return found === 0 ? [] : [count(found, NOUNS[severity])];
  });
  const where = `in ${count(files, "file")}`;
  return counts.length === 0 ? `No findings ${where}` : `${counts.join(", ")} ${where}`;
}

const NOUNS: Readonly<Record<LintSeverity, string>> = {
  error: "error",
  warning: "warning",
  info: "hint",
};
