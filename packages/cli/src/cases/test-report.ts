import type { Coverage, InlineCase, Mutation, RuleCoverage } from "@bylaw/policy-language";
import type { CaseResult } from "./run-case.ts";
import { count, place, plain, short, type Paint } from "../io/text.ts";

/** The results of one run of `bylaw test`. */
export interface TestReport {
  readonly inline: readonly InlineCase[];
  readonly results: readonly CaseResult[];
  /** The number of cases about policy files that are not tested. */
  readonly skipped: number;
  readonly coverage?: Coverage;
  readonly mutation?: Mutation;
}

/** The report for programs. */
export function testJson({ inline, results, skipped, coverage, mutation }: TestReport): object {
  const failing = results.filter(({ wrong }) => wrong !== undefined);
  const failures = failing.map(({ asked, decision: { effect, code, reason, rule }, wrong }) => ({
    ...{
      id: asked.id,
      file: asked.file,
      line: asked.line,
      soft: asked.soft,
      wrong,
      expected: asked.expected,
    },
    ...(asked.why === undefined ? {} : { why: asked.why }),
    actual: { effect, code, reason, ...(rule === undefined ? {} : { rule }) },
  }));
  return {
    ...{
      cases: results.length,
      passed: results.length - failing.length,
      failed: failures.filter(({ soft }) => !soft).length,
    },
    ...{ soft_failed: failures.filter(({ soft }) => soft).length, skipped, failures, inline },
    ...(coverage === undefined ? {} : { coverage }),
    ...(mutation === undefined ? {} : { mutation }),
  };
}

/** The report for people. */
export function testText(
  { inline, results, skipped, coverage, mutation }: TestReport,
  paint: Paint,
): string {
  const failing = results.filter(({ wrong }) => wrong !== undefined);
  const hard = failing.filter(({ asked }) => !asked.soft).length;
  const soft = failing.length - hard;
  const lines = [
    ...failing.map((result) => failureText(result, paint)),
    ...inline.map((one) => inlineText(one, paint)),
  ];
  const notes = [
    ...(soft === 0 ? [] : [`${count(soft, "soft case")} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} about other policies left out`]),
  ];
  const passed = `${results.length - failing.length} passed`;
  const verdict =
    hard === 0 ? paint("green", passed) : `${passed}, ${paint("red", `${hard} failed`)}`;
  lines.push(
    `${count(results.length, "case")}: ${verdict}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`,
  );
  lines.push(
    `${count(inline.length, "inline case")}: ${inline.length === 0 ? "none" : "held when the policy was loaded"}`,
  );
  if (coverage !== undefined) lines.push("", ...coverageText(coverage, paint));
  if (mutation !== undefined) {
    lines.push("", ...mutationText(mutation, paint));
    if (failing.length > 0)
      lines.push(
        `  told by the ${count(results.length - failing.length, "case")} that ${results.length - failing.length === 1 ? "passes" : "pass"}`,
      );
  }
  return lines.join("\n");
}

function failureText(
  { asked, decision: { rule, reason }, wrong }: CaseResult,
  paint: Paint,
): string {
  const at =
    rule?.file === undefined
      ? ""
      : ` (${place({ file: rule.file, ...(rule.line === undefined ? {} : { line: rule.line }) })})`;
  const rows = [
    `${paint("red", asked.soft ? "soft" : "fail")} ${paint("bold", short(asked.id, 80))} ${place(asked)}`,
    `  ${plain(wrong ?? "")}`,
    ...(asked.call === undefined
      ? []
      : [
          `  ${paint("dim", "call:")} ${plain(asked.call.tool)} ${short(JSON.stringify(asked.call.args), 200)}`,
        ]),
    `  ${paint("dim", "decided by:")} ${rule === undefined ? "no rule" : `${plain(rule.name)}${at}`}: ${plain(reason)}`,
    ...(asked.why === undefined ? [] : [`  ${paint("dim", "why:")} ${plain(asked.why)}`]),
  ];
  return rows.join("\n");
}

const inlineText = ({ kind, text, rule, file, line }: InlineCase, paint: Paint): string =>
  `${paint("green", "held")} ${plain(rule)} ${kind === "match" ? "matches" : "does not match"} ${short(text, 120)} ${paint("dim", place({ file, line }))}`;

function coverageText({ rules, alternatives, parts }: Coverage, paint: Paint): readonly string[] {
  const list = (
    title: string,
    found: readonly RuleCoverage[],
    text: (rule: RuleCoverage) => readonly string[],
  ): readonly string[] =>
    found.length === 0
      ? []
      : [
          title,
          ...found.flatMap((rule) => [
            `  ${plain(rule.name)} ${paint("dim", place(rule))}`,
            ...text(rule).map((line) => `    ${line}`),
          ]),
        ];
  const live = rules.filter(({ shadow }) => !shadow);
  const silent = live.filter(({ matched }) => matched === 0);
  const undecided = live.filter(({ matched, decided }) => matched > 0 && decided === 0);
  const partly = rules.filter(
    ({ matched, never_held, never_failed }) =>
      matched > 0 && never_held.length + never_failed.length > 0,
  );
  return [
    `coverage: ${live.filter(({ decided }) => decided > 0).length} of ${count(live.length, "rule")} decided a case, ` +
      `${alternatives.held} of ${count(alternatives.total, "alternative")} held, ${parts.failed} of ${count(parts.total, "part")} kept a case out`,
    ...list("rules that never matched:", silent, () => []),
    ...list("rules that matched and never decided:", undecided, () => []),
    ...list("rules with more than the cases ask:", partly, ({ never_held, never_failed }) => [
      ...never_held.map(({ key, item }) => `\`${plain(key)}\` never matched by ${code(item)}`),
      ...never_failed.map((key) => `\`${plain(key)}\` never kept a case from matching`),
    ]),
  ];
}

function mutationText({ mutants, noticed, survivors }: Mutation, paint: Paint): readonly string[] {
  const done =
    noticed === mutants
      ? paint("green", "all noticed")
      : `${noticed} noticed, ${paint("red", `${survivors.length} survived`)}`;
  const rules = [...Map.groupBy(survivors, ({ file, line }) => `${line} ${file}`).values()];
  const rows = rules.flatMap((group) => {
    const head = group
      .slice(0, 1)
      .map(({ rule, file, line }) => `  ${plain(rule)} ${paint("dim", place({ file, line }))}`);
    const shown = group
      .slice(0, MAX_CHANGES)
      .map(
        ({ change, loosens }) => `    ${loosens ? paint("red", "looser: ") : ""}${plain(change)}`,
      );
    const more = group.length - shown.length;
    return [...head, ...shown, ...(more === 0 ? [] : [`    and ${more} more; --json has all`])];
  });
  return [`mutation: ${count(mutants, "mutant")}, ${done}`, ...rows];
}

// The most changes to show for one rule. Those left out are no riskier than those shown.
const MAX_CHANGES = 5;

const code = (text: string): string => `\`${short(text, 80)}\``;
