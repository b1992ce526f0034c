import { AG } from "./ack.ts";
import { hazard, type Findings } from "./findings.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { kind, many, options } from "./option-groups.ts";

const GREP = options`-E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -i,--ignore-case -y --no-ignore-case
  -v,--invert-match -w,--word-regexp -x,--line-regexp -z,--null-data -s,--no-messages -b,--byte-offset -n,--line-number --line-buffered
  -H,--with-filename -h,--no-filename -o,--only-matching -q,--quiet,--silent -a,--text -I -L,--files-without-match -l,--files-with-matches
  -c,--count -T,--initial-tab -Z,--null --no-group-separator -u -S -O -p --null -V,--version --help ${kind.value} -e,--regexp
  -m,--max-count --label --binary-files -d,--directories -D,--devices --include --exclude --exclude-dir --include-dir -A,--after-context
  -B,--before-context -C,--context --group-separator ${kind.takes("read", "load")} -f,--file --exclude-from ${kind.flag} -r,--recursive
  -R,--dereference-recursive -U,--binary ${kind.optional} --color --colour`;

// The action for directories may be an option value, or unknown.
const walks = (use: ParsedArgs): boolean =>
  hasOption(use, "recursive dereference-recursive") ||
  optionsNamed(use, "directories").some(
    ({ value }) => value?.text !== "read" && value?.text !== "skip",
  ) ||
  use.unknownOptions.some(({ word }) => word.text === undefined);

// `(?C"program|argument")` in a pattern runs a program at that point of a match.
function callouts(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of [
    ...use.operands.slice(0, 1),
    ...optionsNamed(use, "regexp").map((used) => ({ at: used.at, word: valueOf(used) })),
  ])
    if (word.text?.includes("(?C") !== false) hazard(out, at, "run");
}

const grep: Spec = {
  options: GREP,
  operands: ["data", many("read")],
  noFirst: "regexp file",
  below: walks,
  printsFiles: "all",
  filter: "include",
  // `-S` is an option of other greps.
  follows: "dereference-recursive S",
  alone: "walked",
};
// These follow all links.
const pcregrep: Spec = { ...grep, follows: "recursive directories", more: callouts };

// A glob for names that may begin and end with anything, in any folder: it begins and ends with a part that stands for others.
const ANY_NAME =
  /(?:^|[{,])\/?(?:\*\*\/)*(?:[*?]|\[[^\]]{0,64}\])+(?:$|[,}])|[*?\]][^/{}]*\{[^}]*[*?[]/;

export const SEARCH: Readonly<Record<string, Spec>> = {
  grep: grep,
  egrep: grep,
  fgrep: grep,
  ggrep: grep,
  zgrep: grep,
  bzgrep: grep,
  xzgrep: grep,
  zstdgrep: grep,
  zegrep: grep,
  zfgrep: grep,
  rgrep: { ...grep, below: "always" },
  pcregrep: pcregrep,
  pcre2grep: pcregrep,
  ugrep: {
    options: options`${GREP} ${kind.script} --filter ${kind.of("glued", { does: "run" })} --pager --view
      ${kind.of("glued", { does: "write" })} --save-config ${kind.of("glued", { does: "load" })} --config ${kind.optional} --stats -Q`,
    operands: ["data", many("read")],
    noFirst: "regexp file",
    below: "always",
    printsFiles: "all",
    filter: "include",
    follows: "dereference-recursive S",
    alone: "read",
  },
  rg: {
    options: options`--files -a -b -c -F -H -h -I -i -L -l -n -N -o -p -P -q -s -S -u -U -v -w -x -0 -. -V,--version --no-ignore --hidden
      --json --stats --vimgrep --pcre2 --pcre2-version --no-pcre2 --null --null-data --heading --no-heading --line-buffered --pretty
      --quiet --one-file-system --no-config --no-messages --no-mmap --no-filename --with-filename --line-number --no-line-number
      --no-column --files-with-matches --files-without-match --fixed-strings --follow --ignore-case --smart-case --invert-match
      --line-regexp --word-regexp --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-exclude
      --no-ignore-files --no-ignore-messages --no-require-git --no-unicode --no-pre --no-search-zip --unrestricted --include-zero
      --only-matching --ignore-file-case-insensitive --stop-on-nonmatch --help ${kind.value} -e,--regexp -A,--after-context
      -B,--before-context -C,--context --pre-glob -g,--glob --iglob -t,--type -T,--type-not --type-clear -m,--max-count
      -d,--max-depth --maxdepth --max-filesize -M,--max-columns -r,--replace -E,--encoding -j,--threads --color --colors
      --context-separator --field-context-separator --field-match-separator --path-separator --sort --sortr --dfa-size-limit
      --regex-size-limit --engine --hyperlink-format --generate ${kind.takes("read", "load")} -f,--file --ignore-file ${kind.valueThat("configure")} --type-add ${kind.script} --pre
      --hostname-bin ${kind.flagThat("run")} -z,--search-zip ${kind.flag} --type-list --trim --multiline --multiline-dotall --crlf --debug
      --trace --block-buffered --passthru --mmap --column --count --count-matches --case-sensitive --max-columns-preview --text
      --byte-offset --binary --auto-hybrid-regex --glob-case-insensitive`,
    exact: true,
    operands: ["data", many("read")],
    noFirst: "regexp file files type-list",
    below: "always",
    printsFiles: "unignored",
    filter: "glob iglob",
    follows: "follow L",
    alone: "read",
    more: (use, out) => {
      // A glob that any name may match also finds hidden and ignored files.
      for (const name of ["glob", "iglob"])
        for (const { at, value } of optionsNamed(use, name))
          if (ANY_NAME.test(value?.text ?? "*"))
            hazard(out, out.argv[at + 1] === value ? at + 1 : at, "unknown");
    },
  },
  ag: { ...AG, printsFiles: "unignored" },
  ack: { ...AG, printsFiles: "all" },
  pt: { ...AG, printsFiles: "unignored" },
  look: { operands: ["data", "read"] },
  fzf: {
    options: options`${kind.script} --preview --bind --execute ${kind.value} -q,--query -f,--filter ${kind.write} --history
      ${kind.of("glued", { does: "run" })} --listen`,
    operands: [many("data")],
  },
  locate: { prints: true },
  plocate: { prints: true },
  updatedb: { options: options`${kind.write} -o,--output ${kind.read} -U,--database-root` },
};
