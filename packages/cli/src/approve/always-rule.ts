import { dirname, join, resolve } from "node:path";
import { BylawError, messageOf, omitUndefined } from "@bylaw/kernel";
import { unanswerable, type Question } from "@bylaw/orchestrator/approvals";
import { policyBench } from "../cases/policy-bench.ts";
import { createEventReader } from "../log/read-events.ts";
import { readRuns } from "../report/read-runs.ts";
import { acceptRule } from "../suggest/accept-rule.ts";
import { AnsweredCalls, callKey } from "../suggest/answered-calls.ts";
import { fixedCalls } from "../suggest/fixed-calls.ts";
import { learnRules, type LearnedRule } from "../suggest/learn-rules.ts";
import { suggestionsText, type Suggestions } from "../suggest/suggestions-text.ts";
import { count, type Paint } from "../io/text.ts";
import { openQuestions } from "./open-questions.ts";

/** A rule that a yes adds to the project's policy. */
export interface AlwaysRule {
  /** What the person confirms. */
  readonly text: (paint: Paint) => string;
  readonly accept: () => AddedRule;
}

/** What a yes added. */
export type AddedRule = ReturnType<typeof acceptRule> & {
  /** The number of other open calls. A yes counts only for the policy that asked, so the agent has to make them again. */
  readonly outdated_calls: number;
};

/** Says that the other open questions can no longer be approved. Empty if there are none. */
export const outdatedText = (calls: number): string =>
  calls === 0
    ? ""
    : `With this rule, ${count(calls, "other open question")} can only be refused: the agent has to make each call again\n`;

interface AlwaysOptions {
  /** The configuration of the project, absolute. */
  readonly config: string;
  /** Default: the store of the project. */
  readonly store: string | undefined;
  readonly by: string;
}

/** The policy that takes such rules. */
export const alwaysPolicy = (config: string): string => join(dirname(config), ".bylaw/policy.toml");

/**
 * The smallest rule that would have allowed the call of a question, learned as `bylaw suggest` does, from this answer alone. Throws
 * BYLAW_APPROVAL_UNFIT if there is none.
 */
export async function alwaysRule(
  question: Question,
  { config, store, by }: AlwaysOptions,
): Promise<AlwaysRule> {
  const call = question.kind === "call" ? question.call : undefined;
  if (call === undefined)
    throw noRule("Only a tool call whose arguments are fully recorded can become one");
  const bench = await policyBench({ config });
  const policy = alwaysPolicy(config);
  if (!bench.sources.files.some(({ file }) => resolve(dirname(config), file) === policy))
    throw unanswerable(
      `The answer cannot become a rule: the configuration has no policy ${policy}`,
      "List it in the option `files` of `@bylaw/plugin-policy`, or answer without `--always`",
    );
  const answered = new AnsweredCalls();
  await readRuns([], omitUndefined({ store }), { into: answered, reader: createEventReader() });
  const fixed = await fixedCalls(bench.sources, { config });
  const key = callKey(call);
  const { calls, only_newest } = answered.result();
  // The question may be older than the calls that are kept.
  const known = calls.find((one) => callKey(one.call) === key) ?? {
    call,
    no: 0,
    open: 1,
    denied: 0,
  };
  const all = [
    { ...known, yes: 1, people: new Set([by]) },
    ...calls.flatMap((one) => (callKey(one.call) === key ? [] : [{ ...one, yes: 0 }])),
  ];
  const { rules, without_rule } = await learnRules(all, bench, { atLeast: 1, fixed });
  const [rule] = rules;
  if (rule === undefined)
    throw noRule(without_rule[0]?.why ?? "A call like it was refused, or a rule allows it already");
  const open = await openQuestions(omitUndefined({ config, store }), undefined);
  const outdated_calls = open.filter(
    ({ kind, id }) => kind === "call" && id !== question.id,
  ).length;
  return {
    text: (paint) =>
      `${textOf(rule, { cases: fixed.length, only_newest }, paint)}${outdatedText(outdated_calls)}`,
    accept() {
      try {
        return { ...acceptRule(rule, policy, bench.sources.tools), outdated_calls };
      } catch (cause) {
        throw new BylawError({
          code: "BYLAW_POLICY_UNWRITABLE",
          message: `The yes is recorded, but the rule is not added. ${messageOf(cause)}`,
          fix: "Make the file writable, and answer the next question with `--always`",
          cause,
        });
      }
    },
  };
}

const textOf = (
  rule: LearnedRule,
  given: Pick<Suggestions, "cases" | "only_newest">,
  paint: Paint,
): string =>
  suggestionsText(
    {
      rules: [rule],
      without_rule: [],
      tallies: { never_fired: [], always_overruled: [], never_refused: [] },
      ...given,
    },
    paint,
  );

const noRule = (why: string): Error =>
  unanswerable(`The answer cannot become a rule: ${why}`, "Answer without `--always`");
