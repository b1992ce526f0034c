import { lineReport } from "@bylaw/policy-language";
import { answerOf, EXIT_OF_EFFECT } from "../decide/answer.ts";
import { callFrom, defaultsFrom, withWords, type CallOptions } from "../decide/call-options.ts";
import { lineText } from "../decide/shell-line-text.ts";
import { readCases, type PolicyCase } from "../cases/case-file.ts";
import {
  createRuleSuggester,
  fixedCases,
  suggestionJson,
  suggestionText,
} from "../suggest/rule-suggester.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { policyBench } from "../cases/policy-bench.ts";
import { answerText, explanationText } from "../decide/answer-text.ts";
import { distinctFiles } from "../io/distinct-files.ts";
import { usageError } from "../io/report-error.ts";
import { paintFor } from "../io/text.ts";
import type { CommandSpec } from "../command-line/command.ts";
import { CALL_OPTIONS, CALL_WORDS } from "./check.ts";

export const command: CommandSpec = {
  arguments: CALL_WORDS,
  options: [
    ...CALL_OPTIONS,
    ["--all", "list every rule, not only the ten nearest"],
    [
      "--suggest",
      "show the smallest rule that would allow the call, as TOML to paste, and the asks that it overrides",
    ],
    ["--cases <file...>", "case files that the suggested rule must not change"],
  ],
  help: `
Exit code: 0 allow, 1 deny, 2 usage or configuration error, 3 ask_user.

Examples:
  $ bylaw explain --tool write_file --args '{"path":"src/main.ts"}'
  $ bylaw explain --tool bash --args '{"command":"rm -rf build"}' --policy .bylaw/policy.toml --json
  $ bylaw explain --suggest -- npm run build`,
  run: explain,
};

interface ExplainCommandOptions extends CallOptions {
  readonly all?: boolean;
  readonly suggest?: boolean;
  readonly cases?: readonly string[];
}

/** Prints a decision, what its shell line would do, and each tap's answer with a report on each of its rules. The exit code is the verdict. */
async function explain(words: readonly string[], options: ExplainCommandOptions): Promise<void> {
  const { cases = [], suggest = false, all = false } = options;
  if (cases.length > 0 && !suggest)
    throw usageError("`--cases` is only used with `--suggest`", "Add `--suggest`");
  const call = callFrom(withWords(words, options), "`--tool <name>` or `-- <command>`");
  const bench = await policyBench(options);
  const { kernel, sources } = bench;
  const prepared = await kernel.prepare(call);
  const explanation = await kernel.explain(prepared);
  const { decision, taps } = explanation;
  const line = prepared.hook === "beforeToolCall" ? lineReport(prepared, sources.tools) : undefined;
  const answer = answerOf(decision, { explain: false });
  const suggestion = suggest
    ? await (
        await createRuleSuggester(bench, fixedCases(await casesIn(cases, options)))
      ).suggest(call)
    : undefined;
  const paint = paintFor(process.stdout);
  const parts = [
    answerText(answer, call, paint),
    ...(line === undefined ? [] : [lineText(line, paint)]),
    explanationText(explanation, { paint, all }),
    ...(suggestion === undefined ? [] : [suggestionText(suggestion, paint)]),
  ];
  const body = {
    decision: answer,
    ...(line === undefined ? {} : { line }),
    taps,
    ...(suggestion === undefined ? {} : { suggestion: suggestionJson(suggestion) }),
  };
  await write(options.json === true ? jsonLine(body) : `${parts.join("\n\n")}\n`);
  conclude(EXIT_OF_EFFECT[decision.effect]);
}

async function casesIn(
  files: readonly string[],
  options: ExplainCommandOptions,
): Promise<readonly PolicyCase[]> {
  const cases: PolicyCase[] = [];
  for (const file of distinctFiles(files))
    cases.push(...(await readCases(file, defaultsFrom(options))));
  return cases;
}
