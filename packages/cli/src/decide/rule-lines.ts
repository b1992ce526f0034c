import type { RuleReport as PolicyReport } from "@bylaw/policy-language";
import { ruleOf } from "./rule-text.ts";
import { plain, short } from "../io/text.ts";

/** A tap's report on one of its rules. Plugins other than the policy plugin may leave out most fields. */
export type RuleReport = Pick<PolicyReport, "name" | "matched" | "effect"> & Partial<PolicyReport>;

/** Whether a tap's report is about a rule. */
export function isRuleReport(item: unknown): item is RuleReport {
  if (typeof item !== "object" || item === null) return false;
  const { name, matched, effect } = item as Partial<RuleReport>;
  return typeof name === "string" && typeof matched === "boolean" && typeof effect === "string";
}

const MAX_RULES = 10;

/** The rules that came nearest to matching. Rules about other tools and programs did not come near. */
export function nearestOf(rules: readonly RuleReport[], most: number): readonly RuleReport[] {
  return rules
    .filter(
      ({ matched, elsewhere, other_programs }) =>
        !matched && elsewhere !== true && other_programs !== true,
    )
    .toSorted(
      (a, b) =>
        Number(b.nearest === true) - Number(a.nearest === true) ||
        (b.nearness ?? 0) - (a.nearness ?? 0),
    )
    .slice(0, most);
}

/**
 * Describes the rules that match, then the nearest rules for this tool that do not. Those are grouped by the part that fails and
 * the call's value there. With `all`, describes every rule.
 */
export function ruleLines(
  rules: readonly RuleReport[],
  { all }: { readonly all: boolean },
): readonly string[] {
  const matching = rules.filter(({ matched, depends_on }) => matched || depends_on !== undefined);
  const others = rules.filter((rule) => !matching.includes(rule));
  const listed = all ? others : nearestOf(others, MAX_RULES);
  const lines = [...matching.map((rule) => `matches   ${headOf(rule)}`), ...missLines(listed)];
  const left = others.length - listed.length;
  if (left === 0) return lines;
  return [
    ...lines,
    `${left} more ${left === 1 ? "rule does" : "rules do"} not match; --all lists ${left === 1 ? "it" : "them"}`,
  ];
}

function missLines(rules: readonly RuleReport[]): readonly string[] {
  const groups = Map.groupBy(rules, ({ failed, actual }) =>
    failed === undefined || actual === undefined
      ? ""
      : `\`${plain(failed)}\` is ${short(actual, 300)}`,
  );
  return [...groups].flatMap(([title, group]) =>
    title === ""
      ? group.map((rule) => `no match  ${headOf(rule)}`)
      : [
          `no match, because ${title}:`,
          ...group.map((rule) => `  ${headOf(rule)}: needs ${short(rule.expected ?? "", 100)}`),
        ],
  );
}

function headOf(report: RuleReport): string {
  const {
    matched,
    effect,
    tier,
    failed,
    command,
    may_match,
    depends_on,
    actual,
    shadow,
    final,
    deciding,
  } = report;
  const notes = [
    ...(tier === undefined || tier === "default" ? [] : [`tier ${plain(tier)}`]),
    ...(final === true ? ["final"] : []),
    ...(shadow === true ? ["in shadow"] : []),
    ...(deciding === true ? ["decides"] : []),
    ...(may_match === true ? ["may match"] : []),
    ...(depends_on === undefined ? [] : [`if \`${plain(depends_on)}\` holds`]),
    ...(matched && command !== undefined ? [`by \`${short(command, 80)}\``] : []),
    ...(failed !== undefined && actual === undefined
      ? [`\`${plain(failed)}\` does not match`]
      : []),
    ...Object.entries(report.states ?? {}).map(
      ([name, value]) => `${short(name, 100)} is ${short(JSON.stringify(value), 100)}`,
    ),
  ];
  const head = `${plain(effect).padEnd(8)} ${ruleOf({ rule: report })}`;
  return notes.length === 0 ? head : `${head} (${notes.join(", ")})`;
}
