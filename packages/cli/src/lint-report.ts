import type { LintFinding, LintSeverity } from "@bylaw/policy-language";
import { place, plain, type Paint } from "./text.ts";

const STYLE = { error: "red", warning: "yellow", info: "dim" } as const;

/** Findings for a person, a paragraph each, and what they come to. */
export function lintText(findings: readonly LintFinding[], files: number, paint: Paint): string {
  const lines = findings.flatMap(({ severity, code, message, fix, ...source }) => [
    `${place(source)} ${paint(STYLE[severity], severity)} ${code}: ${plain(message)}`,
    ...(fix === undefined ? [] : [`  ${paint("dim", "fix:")} ${plain(fix)}`]),
  ]);
  return [...lines, ...(lines.length === 0 ? [] : [""]), summary(findings, files)].join("\n");
}

function summary(findings: readonly LintFinding[], files: number): string {
  const counts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${WORDS[severity][count === 1 ? 0 : 1]}`];
  });
  const where = `in ${files} ${files === 1 ? "file" : "files"}`;
  return counts.length === 0 ? `No findings ${where}` : `${counts.join(", ")} ${where}`;
}

const WORDS: Readonly<Record<LintSeverity, readonly [string, string]>> = {
  error: ["error", "errors"],
  warning: ["warning", "warnings"],
  info: ["hint", "hints"],
};
