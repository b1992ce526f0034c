import { basename } from "node:path";
import { messageOf } from "@bylaw/kernel";
import {
  compilePolicy,
  coverPolicy,
  inlineCasesOf,
  mutatePolicy,
  expectationFault,
  type Coverage,
  type InlineCase,
  type Mutation,
  type MutationInput,
} from "@bylaw/policy-language";
import { quote } from "@bylaw/wording";
import { defaultsFrom } from "../decide/call-options.ts";
import { readCases, type PolicyCase } from "../cases/case-file.ts";
import { distinctFiles } from "../io/distinct-files.ts";
import { usageError } from "../io/report-error.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { policyBench, type PolicyBench } from "../cases/policy-bench.ts";
import { runCase, type CaseResult } from "../cases/run-case.ts";
import { paintFor } from "../io/text.ts";
import { testJson, testText, type TestReport } from "../cases/test-report.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  ["--policy <file...>", "policy files, whatever their extension"],
  [
    "--config <file>",
    "the configuration (default without policies: the nearest bylaw.config.* upwards)",
  ],
  ["--cases <file...>", "case files, one JSON object per line; - reads standard input"],
  ["--coverage", "list the rules, alternatives and parts that no case covers"],
  ["--mutate", "change every rule, one change at a time, and see whether a case notices"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type TestOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: { file: ["policies (.toml) and case files (.jsonl)"] },
  options: OPTIONS,
  help: `
Exit code: 0 every case passes, 1 a case fails or a mutant survives, 2 usage or configuration error.

Examples:
  $ bylaw test .bylaw/policy.toml cases.jsonl
  $ bylaw test --cases cases.jsonl --coverage --mutate`,
  run: test,
};

/** Tests a policy against cases and reports what they do not cover. The exit code is 1 if a case fails or a mutant survives. */
async function test(files: readonly string[], options: TestOptions): Promise<void> {
  const { policies, caseFiles } = sorted(files, options);
  const bench = await policyBench({
    policy: policies,
    ...(options.config === undefined ? {} : { config: options.config }),
  });
  const inline = bench.sources.files.flatMap(inlineCasesOf);
  const defaults = defaultsFrom({ interactive: true });
  const cases: PolicyCase[] = [];
  for (const file of caseFiles) cases.push(...(await readCases(file, defaults)));
  const names = new Set(
    bench.sources.files.map(({ file }) => basename(file).replace(/\.toml$/, "")),
  );
  const chosen = cases.filter(({ policy }) => policy === undefined || names.has(policy));
  if (chosen.length === 0 && inline.length === 0) {
    throw usageError(
      "There are no cases to test",
      "Name a case file, or add `match = [ … ]` to a rule",
    );
  }
  const results: CaseResult[] = [];
  for (const one of chosen) results.push(await runCase(one, bench));
  const failed = results.some(({ wrong, asked }) => wrong !== undefined && !asked.soft);
  const report: TestReport = {
    inline,
    results,
    skipped: cases.length - chosen.length,
    ...(options.coverage === true ? { coverage: await coverage(bench, inline, results) } : {}),
    ...(options.mutate === true ? { mutation: await mutation(bench, inline, results) } : {}),
  };
  const paint = paintFor(process.stdout);
  await write(options.json === true ? jsonLine(testJson(report)) : `${testText(report, paint)}\n`);
  conclude(failed || (report.mutation?.survivors.length ?? 0) > 0 ? 1 : 0);
}

// Files that are named without an option are sorted by their extension.
function sorted(
  files: readonly string[],
  { policy = [], cases = [] }: TestOptions,
): { policies: readonly string[]; caseFiles: readonly string[] } {
  const policies = [...policy];
  const caseFiles = [...cases];
  for (const file of files) {
    if (/\.toml$/i.test(file)) policies.push(file);
    else if (/\.(?:jsonl|ndjson)$/i.test(file)) caseFiles.push(file);
    else
      throw usageError(
        `Cannot tell whether ${quote(file)} is a policy (.toml) or a case file (.jsonl)`,
        "Name it with `--policy` or `--cases`",
      );
  }
  return { policies: distinctFiles(policies), caseFiles: distinctFiles(caseFiles) };
}

async function coverage(
  { sources, runOf }: PolicyBench,
  inline: readonly InlineCase[],
  results: readonly CaseResult[],
): Promise<Coverage> {
  const cases = results.flatMap(({ asked: { past }, call, decision: { rule } }) =>
    call === undefined ? [] : [{ call, rule, run: runOf(past) }],
  );
  return await coverPolicy({ ...sources, inline, cases });
}

type MutationCase = MutationInput["cases"][number] & { readonly past: PolicyCase["past"] };

async function mutation(
  bench: PolicyBench,
  inline: readonly InlineCase[],
  results: readonly CaseResult[],
): Promise<Mutation> {
  const { sources, runOf } = bench;
  const kernel = await bench.exchanging();
  const own = compilePolicy(sources.files, { tools: sources.tools });
  const cases: MutationCase[] = [];
  for (const { asked, call: prepared, wrong } of results) {
    if (prepared === undefined || asked.call === undefined || wrong !== undefined) continue;
    const call = await kernel.prepare(asked.call);
    const odd = expectationFault(asked.expected, await kernel.decide(call, own, asked.past));
    if (odd !== undefined)
      throw new Error(
        `case \`${asked.id}\` cannot be asked about changed policies: ${messageOf(odd)}`,
      );
    cases.push({ call, expected: asked.expected, run: runOf(asked.past), past: asked.past });
  }
  const { stderr } = process;
  const show = (done: number, total: number): void =>
    void stderr.write(`\r\u001b[K${done < total ? `mutating rule ${done} of ${total}` : ""}`);
  return await mutatePolicy({
    ...sources,
    inline,
    cases,
    decide: (call, pool, at) => kernel.decide(call, pool, cases[at]?.past),
    ...(stderr.isTTY ? { onProgress: show } : {}),
  });
}
