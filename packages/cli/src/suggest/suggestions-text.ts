import type { ToolCall } from "@bylaw/kernel";
import type { PolicyBench } from "../cases/policy-bench.ts";
import { count, plain, short, type Paint } from "../io/text.ts";
import { MAX_CALLS, type AnsweredCall, type RuleAnswers } from "./answered-calls.ts";
import type { Learned } from "./learn-rules.ts";
import { overridesText } from "./rule-suggester.ts";

/** Rules that a person may want to look at. */
export interface RuleTallies {
  /** Rules in force that decided nothing in these logs. */
  readonly never_fired: readonly string[];
  /** Rules whose every question was answered, always with yes. */
  readonly always_overruled: readonly string[];
  /** Other rules whose questions nobody refused. A name in parentheses is the code of a decision without a rule. */
  readonly never_refused: readonly string[];
}

export interface Suggestions extends Learned {
  readonly tallies: RuleTallies;
  /** The number of cases that no suggested rule changes. */
  readonly cases: number;
  /** Whether older calls of the logs were left out. */
  readonly only_newest: boolean;
}

/** Sorts the rules by what the logs say about them. */
export function ruleTallies(
  answers: ReadonlyMap<string, RuleAnswers>,
  { sources }: PolicyBench,
  atLeast: number,
): RuleTallies {
  const rules = sources.files.flatMap((file) => file.rules.map(({ source }) => source));
  const asked = [...answers].filter(([, one]) => one.asked >= atLeast && one.no === 0);
  const overruled = asked.filter(([name, one]) => one.yes === one.asked && !name.startsWith("("));
  return {
    never_fired: rules.flatMap(({ name, shadow }) => (shadow || answers.has(name) ? [] : [name])),
    always_overruled: overruled.map(([name]) => name),
    never_refused: asked.flatMap((one) => (overruled.includes(one) ? [] : [one[0]])),
  };
}

/** Formats suggestions as JSON. */
export const suggestionsJson = ({
  rules,
  without_rule,
  tallies,
  ...rest
}: Suggestions): object => ({
  suggestions: rules.map(({ calls, beyond, newly_allowed, ...rule }, at) => ({
    number: at + 1,
    ...rule,
    people: peopleOf(calls),
    calls: calls.map(answeredJson),
    not_covered: beyond.slice(0, MAX_SHOWN).map(callJson),
    newly_allowed: newly_allowed.map(answeredJson),
  })),
  without_rule: without_rule.map(({ calls, why }) => ({ calls: calls.map(answeredJson), why })),
  rules: tallies,
  ...rest,
});

const peopleOf = (calls: readonly AnsweredCall[]): readonly string[] => [
  ...new Set(calls.flatMap(({ people }) => [...people])),
];

const callJson = ({ tool, args }: ToolCall): object => ({ tool, args });
const answeredJson = ({ call, yes, no, open }: AnsweredCall): object => ({
  ...callJson(call),
  ...{ yes, no, open },
});

/** The most calls, or rules, of a list that are shown on a terminal. */
const MAX_SHOWN = 5;

/** Prints suggestions for a person. */
export function suggestionsText(found: Suggestions, paint: Paint): string {
  const { rules, without_rule, tallies, cases, only_newest } = found;
  const parts = rules.map(({ toml, saves, calls, beyond, newly_allowed, ...over }, at) =>
    [
      paint(
        "bold",
        `${at + 1}. saves ${count(saves, "question")}, all answered with yes by ${peopleOf(calls).map(plain).join(", ")}`,
      ),
      ...overridesText(over.overrides, paint).map((line) => `   ${line}`),
      ...toml
        .trimEnd()
        .split("\n")
        .map((line) => `   ${plain(line)}`),
      ...listed(
        "saves",
        calls.map(({ call }) => callText(call)),
      ),
      ...listed("does not cover", beyond.slice(0, 1).map(callText)),
      ...listed(
        "newly allows",
        newly_allowed.map(({ call }) => callText(call)),
      ),
      ...listed("changes", over.overruled.map(plain)),
      `   changes ${over.overruled.length === 0 ? "none" : "no other"} of ${count(cases, "case")}`,
    ].join("\n"),
  );
  const unlearned = without_rule.map(
    ({ calls: [first], why }) =>
      `  ${first === undefined ? "" : callText(first.call)}: ${plain(why)}`,
  );
  const lists = [
    ["Always answered with yes, without a rule", unlearned],
    ["Rules that were always overruled", tallies.always_overruled.map(indented)],
    ["Rules whose questions nobody refused", tallies.never_refused.map(indented)],
    ["Rules that decided nothing", tallies.never_fired.map(indented)],
  ] as const;
  const shown = lists.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : [[paint("bold", title), ...firstOf(lines)].join("\n")],
  );
  const head = rules.length === 0 ? ["Nothing to suggest"] : parts;
  const limit = only_newest
    ? [`Older calls were left out: only the newest ${MAX_CALLS} different ones are considered`]
    : [];
  return `${[...head, ...shown, ...limit].join("\n\n")}\n`;
}

const indented = (text: string): string => `  ${plain(text)}`;

const listed = (title: string, lines: readonly string[]): readonly string[] =>
  firstOf(lines).map((line, at) => `   ${(at === 0 ? title : "").padEnd(15)}${line}`);

const firstOf = (lines: readonly string[]): readonly string[] =>
  lines.length <= MAX_SHOWN
    ? lines
    : [...lines.slice(0, MAX_SHOWN), `  … ${lines.length - MAX_SHOWN} more with --json`];

const callText = ({ tool, args }: ToolCall): string =>
  `${short(tool, 40)} ${short(JSON.stringify(args), 120)}`;
