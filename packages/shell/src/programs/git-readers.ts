import { formats, readsPatterns, shows } from "./git-handlers.ts";
import { DIFF, LOG } from "./git-options.ts";
import { namesFiles, printsLines, printsTracked } from "./git-prints.ts";
import { file, hazard, type Findings } from "./findings.ts";
import { hasOption, isInEffect } from "./parsed-args.ts";
import type { Operand, ParsedArgs, Spec } from "./program-spec.ts";
import { known, prefix } from "./word-text.ts";
import { kind, many, options } from "./option-groups.ts";

export const PATHS: NonNullable<Spec["operands"]> = [many("read")];

const showsLines =
  (more: { readonly byDefault: boolean }) =>
  (use: ParsedArgs, out: Findings): void => {
    shows(use, out);
    if (printsLines(use, more) && !namesFiles(use)) printsTracked(use, out, "top");
  };

// With these options, `git grep` searches files that git does not track.
const UNTRACKED = "no-index untracked no-exclude-standard";

function printsFolders(operands: readonly Operand[], out: Findings): void {
  const words = operands.length > 0 ? operands.map(({ word }) => word) : [known(".")];
  for (const word of words) file(out, "read", word, { below: true, prints: true });
}

// Git compares two paths as `diff` does if one lies outside the repository.
function difference(use: ParsedArgs, out: Findings): void {
  linesByDefault(use, out);
  if (use.operands.length === 2 && use.operands.some(({ word }) => OUTSIDE.test(prefix(word))))
    printsFolders(use.operands, out);
}

const OUTSIDE = /^(?:[/~]|(?:[^]*\/)?\.\.(?:\/|$))/;

const linesByOption = showsLines({ byDefault: false });
const linesByDefault = showsLines({ byDefault: true });

export const GIT_LOG: Spec = { options: LOG, more: linesByOption };

export const GIT_READERS: Readonly<Record<string, Spec>> = {
  status: {
    options: options`-s,--short -b,--branch --show-stash --long -v,--verbose -z --no-column --ahead-behind --no-ahead-behind --renames
      --no-renames ${kind.optional} --porcelain -u --untracked-files --ignore-submodules --ignored --column --find-renames`,
    operands: PATHS,
    more: (use, out) => {
      if (hasOption(use, "verbose")) printsTracked(use, out, "top");
    },
  },
  log: GIT_LOG,
  show: { options: LOG, more: linesByDefault },
  whatchanged: GIT_LOG,
  reflog: {
    options: LOG,
    more: (use, out) => {
      linesByOption(use, out);
      const [first] = use.operands;
      if (/^(expire|delete|drop|write)$/.test(first?.word.text ?? "") && first !== undefined)
        hazard(out, first.at, "delete");
    },
  },
  shortlog: {
    options: options`${LOG} -s,--summary -e,--email ${kind.optional} -w ${kind.value} --group`,
    more: formats,
  },
  "rev-list": { options: LOG, more: formats },
  diff: { options: DIFF, more: difference },
  "diff-tree": GIT_LOG,
  "diff-index": { options: DIFF, more: linesByOption },
  "diff-files": { options: DIFF, more: linesByOption },
  "range-diff": { options: LOG, more: linesByDefault },
  difftool: {
    options: options`${DIFF} -y,--no-prompt --prompt -d,--dir-diff -g,--gui ${kind.script} -x,--extcmd ${kind.value} -t,--tool
      ${kind.flag} --tool-help`,
    does: "run",
  },
  mergetool: {
    options: options`-y,--no-prompt -g,--gui ${kind.value} -t,--tool ${kind.read} -O ${kind.flag} --tool-help`,
    does: "run",
  },
  grep: {
    options: options`--cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules -a,--text --no-textconv
      -i,--ignore-case -I -r,--recursive --no-recursive -w,--word-regexp -v,--invert-match -h -H --full-name -E,--extended-regexp
      -G,--basic-regexp -F,--fixed-strings -n,--line-number --column -l,--files-with-matches,--name-only -L,--files-without-match
      -z,--null -o,--only-matching -c,--count --no-color --break --heading -p,--show-function -W,--function-context --or --not -q,--quiet
      --ext-grep ${kind.value} -e --parent-basename --max-depth -A,--after-context -B,--before-context -C,--context -m,--max-count
      --threads ${kind.takes("read", "load")} -f ${kind.of("glued", { role: "script", does: "run" })} -O --open-files-in-pager
      ${kind.flagThat("run")} --textconv ${kind.flag} -P,--perl-regexp --and --all-match ${kind.optional} --color`,
    operands: ["data", many("read")],
    noFirst: "e f",
    below: "always",
    alone: "read",
    more: (use, out) => {
      const operands = use.operands.slice(hasOption(use, "e f") ? 0 : 1);
      readsPatterns(operands, out);
      if (hasOption(use, UNTRACKED)) return printsFolders(operands, out);
      if (!isInEffect(use, "name-only files-without-match count quiet"))
        printsTracked(use, out, "below", operands);
    },
  },
  blame: {
    options: options`-b --root --show-stats -l -t --reverse --first-parent -p,--porcelain --line-porcelain --incremental --color-lines
      --color-by-age -c --score-debug -f,--show-name -n,--show-number -s -e,--show-email -w --progress --no-progress ${kind.value} -L
      --encoding --date --ignore-rev --abbrev ${kind.takes("read", "load")} -S --contents --ignore-revs-file ${kind.optional} -M -C
      ${kind.flagThat("run")} --textconv`,
    operands: PATHS,
  },
  annotate: {
    options: options`${kind.value} -L ${kind.takes("read", "load")} -S --contents`,
    operands: PATHS,
  },
};
