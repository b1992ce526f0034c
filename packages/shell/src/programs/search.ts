import { readAck } from "./ack.ts";
import type { Spec } from "./spec.ts";
import { usedOf, uses, type Use } from "./use.ts";

const GREP = `-E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -e,--regexp= -f,--file=read!l -i,--ignore-case -y --no-ignore-case -v,--invert-match -w,--word-regexp
  -x,--line-regexp -z,--null-data -s,--no-messages -m,--max-count= -b,--byte-offset -n,--line-number --line-buffered -H,--with-filename -h,--no-filename --label= -o,--only-matching
  -q,--quiet,--silent --binary-files= -a,--text -I -d,--directories= -D,--devices= -r,--recursive -R,--dereference-recursive --include= --exclude= --exclude-from=read!l --exclude-dir=
  --include-dir= -L,--files-without-match -l,--files-with-matches -c,--count -T,--initial-tab -Z,--null -A,--after-context= -B,--before-context= -C,--context= --color? --colour? --group-separator=
  --no-group-separator -U,--binary -u -S -O -p --null -V,--version --help`;

// What is done with folders may be said by name, or not be known.
const walks = (use: Use): boolean =>
  uses(use, "recursive dereference-recursive") ||
  usedOf(use, "directories").some(({ value }) => value?.text !== "read" && value?.text !== "skip") ||
  use.strange.some(({ word }) => word.text === undefined);

const grep: Spec = {
  options: GREP,
  operands: "data read*",
  noFirst: "regexp file",
  below: walks,
  filter: "include",
  // `-S` is that of other greps.
  follows: "dereference-recursive S",
  alone: "walked",
};
// They go where all links lead.
const pcregrep: Spec = { ...grep, follows: "recursive directories" };

/** Programs that search text in files. */
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
    options: `${GREP} --filter=prog!r --pager?!r --view?!r --save-config?!w --config?!l --stats? -Q?`,
    operands: "data read*",
    noFirst: "regexp file",
    below: "always",
    filter: "include",
    follows: "dereference-recursive S",
    alone: "read",
  },
  rg: {
    options: `-e,--regexp= -f,--file=read!l -A,--after-context= -B,--before-context= -C,--context= --pre=prog!r --pre-glob= -z,--search-zip!r --hostname-bin=prog!r --ignore-file=read!l
      -g,--glob= --iglob= -t,--type= -T,--type-not= --type-add= --type-clear= -m,--max-count= -d,--max-depth= --maxdepth= --max-filesize= -M,--max-columns= -r,--replace= -E,--encoding=
      -j,--threads= --color= --colors= --context-separator= --field-context-separator= --field-match-separator= --path-separator= --sort= --sortr= --dfa-size-limit= --regex-size-limit=
      --engine= --hyperlink-format= --generate= --files --type-list -a -b -c -F -H -h -I -i -L -l -n -N -o -p -P -q -s -S -u -U -v -w -x -0 -. -V,--version --no-ignore --hidden --json
      --stats --vimgrep --trim --multiline --multiline-dotall --pcre2 --pcre2-version --no-pcre2 --null --null-data --crlf --debug --trace --heading --no-heading --line-buffered --block-buffered
      --passthru --pretty --quiet --one-file-system --no-config --no-messages --no-mmap --mmap --no-filename --with-filename --line-number --no-line-number --column --no-column --count
      --count-matches --files-with-matches --files-without-match --fixed-strings --follow --ignore-case --smart-case --case-sensitive --invert-match --line-regexp --word-regexp --max-columns-preview
      --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-messages --no-require-git --no-unicode --no-pre --no-search-zip
      --unrestricted --text --byte-offset --binary --include-zero --only-matching --auto-hybrid-regex --glob-case-insensitive --ignore-file-case-insensitive --stop-on-nonmatch --help`,
    exact: true,
    operands: "data read*",
    noFirst: "regexp file files type-list",
    below: "always",
    filter: "glob iglob",
    follows: "follow L",
    alone: "read",
  },
  ag: { read: readAck },
  ack: { read: readAck },
  pt: { read: readAck },
  look: { operands: "data read" },
  fzf: {
    options: "--preview=script!r --bind=script!r -q,--query= -f,--filter= --history=write!w --execute=script!r --listen?!r",
    operands: "data*",
  },
  locate: {},
  plocate: {},
  updatedb: { options: "-o,--output=write!w -U,--database-root=read" },
};
