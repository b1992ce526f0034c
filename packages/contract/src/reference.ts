import { judgesOfRule } from "./rule-judges.ts";
import { FINDING_CODES } from "./finding-codes.ts";
import { contractKeys } from "./key-paths.ts";
import { ARTIFACT_RULES, GATE_CHECKS } from "./words.ts";

/**
 * The reference tables about contracts as Markdown: keys, findings, checks and rules. Generated
 * from the same data that the code uses.
 */
export function referenceTables(): Readonly<
  Record<"keys" | "findings" | "checks" | "rules", string>
> {
  return {
    keys: table(
      ["Key", "Meaning"],
      contractKeys().map(({ path, description }) => [`\`${path}\``, description]),
    ),
    findings: table(
      ["Code", "Severity", "Original form", "Finds"],
      Object.entries(FINDING_CODES).map(([code, { severity, original, finds }]) => [
        `\`${code}\``,
        severity,
        original,
        finds,
      ]),
    ),
    checks: table(
      ["Check", "Reads", "Passes when", "Judged on"],
      Object.entries(GATE_CHECKS).map(([name, { reads, passes, evidence }]) => [
        `\`${name}\``,
        reads.map((type) => `\`${type}\``).join(", "),
        passes,
        evidence === true ? "an observed run" : "the artifact",
      ]),
    ),
    rules: table(
      ["Rule", "Holds when", "By"],
      Object.entries(ARTIFACT_RULES).map(([name, holds]) => [
        `\`${name}\``,
        holds,
        judgesOfRule(name).join(", "),
      ]),
    ),
  };
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
