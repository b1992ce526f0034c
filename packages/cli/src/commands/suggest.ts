import { basename, dirname, join, resolve } from "node:path";
import { existsSync, realpathSync } from "node:fs";
import { findConfig, isBylawError } from "@bylaw/config";
import { omitUndefined } from "@bylaw/kernel";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import { answererOf, confirmed, takeToken, type CommandAnswerer } from "../approve/authority.ts";
import { readCases } from "../cases/case-file.ts";
import { policyBench, type PolicyBench } from "../cases/policy-bench.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import {
  JSON_OPTION,
  LOGS_ARGUMENT,
  RUNS_OPTION,
  STORE_OPTION,
} from "../command-line/shared-options.ts";
import { defaultsFrom } from "../decide/call-options.ts";
import { distinctFiles } from "../io/distinct-files.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { count, paintFor } from "../io/text.ts";
import { createEventReader } from "../log/read-events.ts";
import { readRuns } from "../report/read-runs.ts";
import { acceptRule, casesBeside } from "../suggest/accept-rule.ts";
import { AnsweredCalls } from "../suggest/answered-calls.ts";
import { learnRules, type LearnedRule } from "../suggest/learn-rules.ts";
import { fixedCases, type FixedCall } from "../suggest/rule-suggester.ts";
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
    accept === undefined ? undefined : answererOf(await projectOf(target), options.by, token);
  const bench = await policyBench({ policy, ...omitUndefined({ config }) });
  const answered = new AnsweredCalls();
  const reader = createEventReader();
  await readRuns(files, omitUndefined({ store, run }), { into: answered, reader });
  const fixed = await fixedCalls(bench, options);
  const learned = await learnRules(answered.result(), bench, { atLeast, fixed });
  const tallies = ruleTallies(answered.rules, bench, atLeast);
  const found = { ...learned, tallies, cases: fixed.length };
  if (accept === undefined || who === undefined) {
    const paint = paintFor(process.stdout);
    await write(json ? jsonLine(suggestionsJson(found)) : suggestionsText(found, paint));
    reader.report();
    conclude(reader.bad > 0 ? 1 : 0);
    return;
  }
  const rule = await chosen(found, accept, who);
  const written = acceptRule(rule, target, bench.sources.tools);
  const text = `Added ${rule.name} to ${written.policy}, and ${count(written.cases_added, "case")} to ${written.cases}\n`;
  await write(json ? jsonLine(written) : text);
  conclude(0);
}

/**
 * The configuration of the project that a policy belongs to, beside which its operators are listed. Only the file that is written counts,
 * because `--config` may name operators of anybody's own.
 */
async function projectOf(policy: string): Promise<string> {
  const folder = dirname(realPathOf(resolve(policy)));
  return (await configAbove(folder)) ?? join(folder.replace(/\/\.bylaw$/, ""), "bylaw.config.ts");
}

// The file, or folders above it, may still be missing.
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}

async function configAbove(folder: string): Promise<string | undefined> {
  try {
    return await findConfig(folder);
  } catch (error) {
    if (isBylawError(error) && error.code === "BYLAW_CONFIG_MISSING") return undefined;
    throw error;
  }
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

// The cases that are named, and those beside the policies in force, as rulesets bring them.
async function fixedCalls(
  { sources }: PolicyBench,
  { cases = [], config }: SuggestOptions,
): Promise<readonly FixedCall[]> {
  const place = config ?? (await configAbove(process.cwd()));
  const folders = [...(place === undefined ? [] : [dirname(resolve(place))]), process.cwd()];
  const beside = sources.files.flatMap(({ file }) =>
    folders.flatMap((folder) => {
      const path = resolve(folder, file);
      return [
        ...["cases.jsonl", "cases.jsonl.gz"].map((name) => join(dirname(path), name)),
        casesBeside(path),
      ];
    }),
  );
  const found = beside.filter((file) => existsSync(file));
  const fixed: FixedCall[] = [];
  for (const file of distinctFiles([...cases, ...found]))
    fixed.push(...fixedCases(await readCases(file, defaultsFrom({ interactive: true }))));
  return fixed;
}
