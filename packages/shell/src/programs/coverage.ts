import { apply, noteUnclearStart, runArgv } from "./apply-spec.ts";
import { hazard, type Findings } from "./findings.ts";
import { kind, options } from "./option-groups.ts";
import { optionsNamed } from "./parsed-args.ts";
import type { ParsedArgs, Spec } from "./program-spec.ts";

// The temporary folder is emptied first.
const OPTIONS = options`-h,--help --version -a,--all --check-coverage -s,--silent --per-file --skip-full --skip-empty --no-clean
  ${kind.value} -n,--include -x,--exclude -e,--extension --lines --functions --branches --statements --src ${kind.value} -r,--reporter
  ${kind.load} -i,--require --nycrc-path -c,--config ${kind.takes("dir", "load")} --cwd ${kind.takes("write", "delete")} -t,--temp-dir
  --temp-directory ${kind.write} -o,--report-dir,--reports-dir --cache-dir`;

// Any other reporter is loaded as a module.
const REPORTERS =
  /^(?:clover|cobertura|html|json|json-summary|lcov|lcovonly|none|teamcity|text|text-lcov|text-summary)$/;

function noteReporters(use: ParsedArgs, out: Findings): void {
  for (const { at, value } of optionsNamed(use, "reporter"))
    if (!REPORTERS.test(value?.text ?? "")) hazard(out, at, "load");
}

const REPORT: Spec = { options: OPTIONS, inert: "help version", more: noteReporters };

/** nyc and c8: they run a command and measure what it covers, or report on the last one. */
export const COVERAGE: Spec = {
  ...REPORT,
  posix: true,
  more: (use, out) => {
    noteReporters(use, out);
    const [first] = use.operands;
    if (first === undefined) return;
    if (/^(?:report|check-coverage)$/.test(first.word.text ?? ""))
      return apply(REPORT, out, first.at + 1);
    // What it runs is decided as a command of its own.
    if (first.word.text === undefined) runArgv(out, first.at);
    else out.runs.push({ kind: "argv", from: first.at });
    noteUnclearStart(use, out);
  },
};
