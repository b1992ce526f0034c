import { dirname } from "node:path";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";
import { readCases } from "../cases/case-file.ts";
import { defaultsFrom } from "../decide/call-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count as counted, plain } from "../io/text.ts";
import { foldingView } from "../log/folding-view.ts";
import { sourceOf } from "../log/log-source.ts";
import { decidedBy, replayLines, resultText } from "../replay/replay-lines.ts";
import { createReplayCount } from "../replay/replay-report.ts";
import { comparedCalls, type ComparedCall } from "../ruleset/compare.ts";
import { withPackages } from "../ruleset/package-place.ts";
import { callsOfCases, readRuleset, type RulesetPackage } from "../ruleset/ruleset-package.ts";
import { checkSameName } from "../ruleset/verify-named.ts";
import { finalRulesGone } from "../ruleset/verify-package.ts";

const OPTIONS = [
  ["--cases <file...>", "case files to compare over besides those of the packages"],
  ["--log <file>", "a log of yours to compare over"],
  STORE_OPTION,
  ["--run <run>", "a run of yours in the store to compare over"],
  ["--json", "print JSON, one value per line"],
] as const satisfies readonly OptionSpec[];
type DiffOptions = OptionsOf<typeof OPTIONS>;

const PACKAGE =
  "a folder, a tarball, an installed package, or NAME@VERSION from the registry; its code runs";

export const command: CommandSpec = {
  arguments: { old: [PACKAGE], new: ["the same"] },
  options: OPTIONS,
  help: `
Compares over the cases of both packages and the examples of their rules. --log, --store and --run add what your agents did.
Exit code: 0 no decision changes, 1 a decision changes, 2 usage error or a package that cannot be read.

Examples:
  $ bylaw ruleset diff acme-rules-0.1.0.tgz acme-rules
  $ bylaw ruleset diff acme-rules-0.1.0.tgz acme-rules --cases cases.jsonl --log events.jsonl --json`,
  run: diff,
};

/** Lists the calls that the newer of two versions decides differently. The exit code is 1 if there is one, or if a `final` rule is gone. */
async function diff(older: string, newer: string, options: DiffOptions): Promise<void> {
  await withPackages([older, newer], async (places) => {
    const [old, now] = await Promise.all(places.map(readRuleset));
    if (old === undefined || now === undefined) throw new TypeError("no package");
    checkSameName(now, old);
    await compare(old, now, options);
  });
}

async function compare(
  old: RulesetPackage,
  now: RulesetPackage,
  { cases = [], log, json = false, ...stored }: DiffOptions,
): Promise<void> {
  const calls: ComparedCall[] = [...old.calls, ...now.calls];
  const defaults = defaultsFrom({ interactive: true });
  for (const file of cases)
    calls.push(...callsOfCases(await readCases(file, defaults), dirname(file)));
  const count = createReplayCount();
  for await (const result of comparedCalls(calls, old.kernel, now.kernel)) {
    count.add(result);
    if (result !== "same") await write(resultText(result, { json }));
  }
  if ((log ?? stored.store ?? stored.run) !== undefined) {
    const source = await sourceOf(log === undefined ? [] : [log], stored);
    const state = foldingView(old.kernel);
    await replayLines(source, {
      candidate: now.kernel,
      before: async ({ subject }) => await decidedBy(old.kernel, subject, state.view),
      onEvent: (event) => state.add(event),
      count,
      textOf: (result) => resultText(result, { json }),
    });
  }
  const gone = finalRulesGone(old, now);
  const looser = count.looser();
  const summary = { ...count.summary(), looser, final_gone: gone };
  await write(
    json
      ? jsonLine({ old: idOf(old), new: idOf(now), summary })
      : [
          ...gone.map((rule) => `no longer final: ${plain(rule)}`),
          `${plain(`${now.name} ${old.version} → ${now.version}`)}: ${count.text()}, ${counted(looser, "call")} less strict`,
          "",
        ].join("\n"),
  );
  conclude(summary.flips + gone.length > 0 ? 1 : 0);
}

const idOf = ({ version, digest }: RulesetPackage): object => ({ version, digest });
