import { join } from "node:path";
import { omitUndefined } from "@bylaw/kernel";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import { answererOf, confirmed, takeToken, type CommandAnswerer } from "../approve/authority.ts";
import { policyBench } from "../cases/policy-bench.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import {
  JSON_OPTION,
  LOGS_ARGUMENT,
  RUNS_OPTION,
  STORE_OPTION,
} from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { paintFor } from "../io/text.ts";
import { createEventReader } from "../log/read-events.ts";
import { readRuns } from "../report/read-runs.ts";
import { acceptRule, acceptedText } from "../suggest/accept-rule.ts";
import { AnsweredCalls } from "../suggest/answered-calls.ts";
import { fixedCalls } from "../suggest/fixed-calls.ts";
import { learnRules, type LearnedRule } from "../suggest/learn-rules.ts";
import { ownerOf } from "../suggest/policy-owner.ts";
import {
  ruleTallies,
  suggestionsJson,
  suggestionsText,
  type Suggestions,
} from "../suggest/suggestions-text.ts";

const OPTIONS = [
  STORE_OPTION,
  RUNS_OPTION,
  ["--policy <file...>", "the policies in force; without --config they decide alone"],
  [
    "--config <file>",
    "the configuration in force (default without policies: the nearest bylaw.config.* upwards)",
  ],
  ["--cases <file...>", "case files that no suggested rule may change"],
  [
    "--at-least <number>",
    "how many times a person must have said yes to a call (default: 2); one more for calls that share a rule",
    { least: 2 },
  ],
  ["--accept <number>", "append the suggestion with this number to a policy", { least: 1 }],
  ["--write <file>", "the policy for --accept (default: .bylaw/policy.toml)"],
  ["--by <name>", "who accepts; not needed with an operator's token"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type SuggestOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: LOGS_ARGUMENT,
  options: OPTIONS,
  help: `
Only a person at a terminal, or an operator with a token in BYLAW_OPERATOR_TOKEN, can accept a suggestion.
Exit code: 0 printed or written, 1 some lines are not events, or nothing was written; 2 usage or configuration error.

Examples:
  $ bylaw suggest
  $ bylaw suggest events.jsonl --at-least 5
  $ bylaw suggest --store runs.db --cases cases.jsonl --json`,
  run: suggest,
};

/** Suggests rules for the questions that people always answered with yes, and accepts one of them. */
async function suggest(files: readonly string[], options: SuggestOptions): Promise<void> {
  const { store, run, json = false, accept, atLeast = 2, policy = [], config } = options;
  const token = takeToken();
  const target = options.write ?? join(".bylaw", "policy.toml");
  // Before any code of the configuration runs.
  const who =
    accept === undefined ? undefined : answererOf(await ownerOf(target), options.by, token);
  const bench = await policyBench({ policy, ...omitUndefined({ config }) });
  const answered = new AnsweredCalls();
  const reader = createEventReader();
  await readRuns(files, omitUndefined({ store, run }), { into: answered, reader });
  const fixed = await fixedCalls(bench.sources, options);
  const { calls, only_newest } = answered.result();
  const learned = await learnRules(calls, bench, { atLeast, fixed });
  const tallies = ruleTallies(answered.rules, bench, atLeast);
  const found = { ...learned, tallies, cases: fixed.length, only_newest };
  if (accept === undefined || who === undefined) {
    const paint = paintFor(process.stdout);
    await write(json ? jsonLine(suggestionsJson(found)) : suggestionsText(found, paint));
    reader.report();
    conclude(reader.bad > 0 ? 1 : 0);
    return;
  }
  const rule = await chosen(found, accept, who);
  const written = acceptRule(rule, target, bench.sources.tools);
  await write(json ? jsonLine(written) : acceptedText(written));
  conclude(0);
}

async function chosen(
  found: Suggestions,
  accept: number,
  { ask }: CommandAnswerer,
): Promise<LearnedRule> {
  const { length } = found.rules;
  const rule = found.rules[accept - 1];
  if (rule === undefined)
    throw usageError(
      `There is no suggestion ${accept}`,
      length === 0 ? "Nothing can be suggested" : `Use a number from 1 to ${length}`,
    );
  if (!ask) return rule;
  process.stderr.write(suggestionsText({ ...found, rules: [rule] }, paintFor(process.stderr)));
  if (!(await confirmed("This rule will be added. Type yes to continue: ")))
    throw unauthorized("The answer was not `yes`", "Nothing was written");
  return rule;
}
