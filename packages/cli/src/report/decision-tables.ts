import { sumOf, type DecisionReport, type NamedEffectCount } from "./decision-count.ts";
import type { AnswerCount } from "./question-count.ts";
import type { RetryCount } from "./retry-count.ts";
import { percent, type Table } from "./table.ts";

/** The tables about decisions, questions and retried denials. */
export function decisionTables(decisions: DecisionReport): readonly Table[] {
  const { totals, rules, agents, tools, hours, questions, retries } = decisions;
  const all = sumOf(totals);
  const effects = [
    ["allowed", totals.allow],
    ["asked", totals.ask_user],
    ["denied", totals.deny],
  ] as const;
  return [
    {
      title: "Decisions",
      columns: ["effect", "calls", "share"],
      rows: all === 0 ? [] : effects.map(([name, calls]) => [name, calls, percent(calls, all)]),
    },
    effectTable("Decisions by rule", "rule", rules),
    effectTable("Decisions by agent", "agent", agents),
    effectTable("Decisions by tool", "tool", tools),
    effectTable("Decisions by hour (UTC)", "hour", hours),
    {
      title: "Questions",
      columns: ["rule", "tool", ...ANSWERS, "first call"],
      rows: questions.rules.map(({ rule, tool, example, ...count }) => [
        ...[rule, tool, ...answerCells(count), example],
      ]),
    },
    {
      title: "Answers by person",
      columns: ["by", "yes", "no", "median seconds", "longest seconds"],
      rows: questions.people.map(({ by, yes, no, median_seconds, longest_seconds }) => [
        ...[by, yes, no, median_seconds, longest_seconds],
      ]),
    },
    {
      title: "Questions by day (UTC)",
      columns: ["day", ...ANSWERS],
      rows: questions.days.map(({ day, ...count }) => [day, ...answerCells(count)]),
    },
    {
      title: "Denials and what followed",
      columns: ["rule", "denied", "changed by rule", ...RETRIES],
      rows: retries.rules
        .filter((count) => count.changed_by_rule + count.same_call + count.another_call > 0)
        .map(({ rule, ...count }) => [rule, ...retryCells(count)]),
    },
  ];
}

const effectTable = (
  title: string,
  column: string,
  counts: readonly NamedEffectCount[],
): Table => ({
  title,
  columns: [column, "allowed", "asked", "denied"],
  rows: counts.map(({ name, allow, ask_user, deny }) => [name, allow, ask_user, deny]),
});

const ANSWERS = ["asked", "yes", "no", "by host", "by rule", "open"];

const answerCells = ({ asked, yes, no, by_host, by_rule }: AnswerCount): readonly number[] => [
  ...[asked, yes, no, by_host, by_rule, asked - yes - no - by_host - by_rule],
];

const RETRIES = ["same call", "another call", "allowed", "asked", "denied again"];

const retryCells = (count: RetryCount): readonly number[] => [
  ...[
    count.denied,
    count.changed_by_rule,
    count.same_call,
    count.another_call,
    count.allow,
    count.ask_user,
    count.deny,
  ],
];
