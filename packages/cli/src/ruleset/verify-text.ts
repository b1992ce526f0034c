import { flipText } from "../replay/replay-report.ts";
import { count, paintFor, plain } from "../io/text.ts";
import type { RulesetPackage } from "./ruleset-package.ts";
import type { Verified } from "./verify-package.ts";

/** The results of a verification for programs. */
export function verifiedJson(
  { name, version, digest, rules, final }: RulesetPackage,
  { results, problems, warnings, against }: Verified,
): object {
  const passed = results.filter(({ wrong }) => wrong === undefined).length;
  return {
    ...{ name, version, digest, rules, final, cases: results.length, passed, problems, warnings },
    ...(against === undefined ? {} : { against }),
  };
}

/** The results of a verification for people. */
export function verifiedText(
  { name, version, digest, rules, final }: RulesetPackage,
  { results, problems, warnings, against }: Verified,
): string {
  const paint = paintFor(process.stdout);
  const passed = results.filter(({ wrong }) => wrong === undefined).length;
  const lines = [
    `${paint("bold", plain(`${name} ${version}`))}: ${count(rules, "rule")}, ${passed} of ${count(results.length, "case")} pass`,
    `  ${paint("dim", "digest:")} ${digest}`,
    `  ${paint("dim", "final:")} ${final.length === 0 ? "none" : final.map(plain).join(", ")}`,
  ];
  if (against !== undefined) {
    const { version: old, calls, final: gone } = against;
    const number = calls.length + gone.length;
    lines.push(
      `  ${paint("dim", "against")} ${plain(old)}: ${number === 0 ? "nothing is less strict" : `${number} less strict`}`,
      ...calls.map((flip) => flipText(flip, paint)),
      ...gone.map((rule) => `${paint("red", "no longer final")} ${plain(rule)}`),
    );
  }
  const labelled = [
    ...warnings.map((one) => ({ ...one, label: paint("yellow", "warning:") })),
    ...problems.map((one) => ({ ...one, label: paint("red", "problem:") })),
  ];
  for (const { label, message, fix } of labelled) {
    lines.push(`${label} ${plain(message)}`);
    if (fix !== undefined) lines.push(`  ${paint("dim", "fix:")} ${plain(fix)}`);
  }
  return lines.join("\n");
}
