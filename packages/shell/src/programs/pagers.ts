import type { Word } from "../analysis.ts";
import { file, hazard, inlineCode, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses, type Use } from "./use.ts";
import { prefix } from "./words.ts";

// A `$` or the end of a line ends a value, and what follows are options or keys; `+` begins keys. Keys run programs.
const KEYS = /[$+\u0000-\u001f\u007f]/;
// `+G`, `+F`, `+/text` and `+12` only move.
const MOVES = /^\+{1,2}(\d*[gGFpP%]?|[/?][^$\u0000-\u001f\u007f]*)$/;

// The pager reads keys and options inside of its options, besides those at the start of a word.
function pager(use: Use, out: Out): void {
  for (const { option, at, value } of use.options) {
    const word = out.argv[at];
    const text = word?.text;
    // The word of a value of its own, or both in one.
    const known = text !== undefined && (value === undefined || value.text !== undefined);
    if (!known || KEYS.test(text) || KEYS.test(value?.text ?? "")) hazard(out, at, "run");
    else if (option.value === "number" && !/^[-\d.,]*$/.test(value?.text ?? "")) hazard(out, at, "run");
  }
  for (const { at } of use.strange) hazard(out, at, "run");
  for (const { at, word } of use.operands) {
    if (!prefix(word).startsWith("+")) file(out, "read", word);
    else if (word.text === undefined || !MOVES.test(word.text)) inlineCode(out, at, "commands in the arguments of a pager");
  }
}

/** less, whose letters go on behind a number. */
export const LESS: Spec = {
  options: `-?,--help -a,--search-skip-screen -A,--SEARCH-SKIP-SCREEN -b,--buffers& -B,--auto-buffers -c,--clear-screen -C,--CLEAR-SCREEN -d,--dumb -D,--color= -e,--quit-at-eof -E,--QUIT-AT-EOF
    -f,--force -F,--quit-if-one-screen -g,--hilite-search -G,--HILITE-SEARCH -h,--max-back-scroll& -i,--ignore-case -I,--IGNORE-CASE -j,--jump-target& -J,--status-column -k,--lesskey-file=load!l
    --lesskey-src=load!l --lesskey-content=code!l --lesskey-context=code!l --cmd=code!r -K,--quit-on-intr -L,--no-lessopen -m,--long-prompt -M,--LONG-PROMPT -n,--line-numbers -N,--LINE-NUMBERS
    -o,--log-file=write!w -O,--LOG-FILE=write!w -p,--pattern= -P,--prompt= -q,--quiet,--silent -Q,--QUIET,--SILENT -r,--raw-control-chars -R,--RAW-CONTROL-CHARS -s,--squeeze-blank-lines
    -S,--chop-long-lines -t,--tag= -T,--tag-file=read -u,--underline-special -U,--UNDERLINE-SPECIAL -v,-V,--version -w,--hilite-unread -W,--HILITE-UNREAD -x,--tabs& -X,--no-init -y,--max-forw-scroll&
    -z,--window& -",--quotes= -~,--tilde -#,--shift& --follow-name --mouse --MOUSE --rscroll= --use-color --wordwrap --incsearch --save-marks!w --autosave=!w --search-options= --header&
    --proc-backspace --proc-return --proc-tab --no-keypad --redraw-on-quit --exit-follow-on-close --file-size --line-num-width& --match-shift& --modelines& --no-histdups --no-number-headers
    --no-search-headers --no-vbell --status-col-width& --status-line --use-backslash --wheel-lines& --no-edit-warn --show-preproc-errors --form-feed --intr=`,
  more: pager,
};

/** more, which is less in some places. */
export const MORE: Spec = { options: "-d -e -f -l -p -c -s -u -n,--lines& -h,--help -V,--version -P -i -R -S -F -X", more: pager };

// They go into the options of the pager, into names of folders and into the command of the formatter.
const PLAIN = /^[\w@][\w@,:-]*$/;
const SINGLE = /^(prompt|preprocessor|device|troff-device|encoding|recode|locale|systems|sections|extension)$/;

function manual(use: Use, out: Out): void {
  for (const { option, at, value } of use.options) {
    if (!SINGLE.test(option.name) || value === undefined) continue;
    const { text } = value;
    if (text === undefined || !(option.name === "prompt" ? /^[A-Za-z0-9 ]*$/ : PLAIN).test(text)) hazard(out, at, "run");
  }
  for (const { at } of use.strange) hazard(out, at, "run");
  for (const { at, word } of use.operands) {
    // A name with a slash is a file, which troff formats.
    if (!uses(use, "local-file") && word.text !== undefined && !word.text.includes("/")) continue;
    if (!uses(use, "local-file") && isName(word)) continue;
    hazard(out, at, "load");
    file(out, "read", word);
  }
}

// A glob stands for names without a slash.
function isName(word: Word): boolean {
  return word.pieces.every((piece) => (typeof piece === "string" ? !piece.includes("/") : piece.hole === "name"));
}

/** man, which runs a formatter and a pager. */
export const MAN: Spec = {
  options: `-C,--config-file=load!l -d,--debug -D,--default --warnings? -f,--whatis -k,--apropos -K,--global-apropos -l,--local-file!l -w,--where,--path,--location -W,--where-cat,--location-cat
    -L,--locale= -m,--systems= -M,--manpath=read!l -S,-s,--sections= -e,--extension= -i,--ignore-case -I,--match-case --regex --wildcard --names-only -a,--all -u,--update --no-subpages
    -P,--pager=prog!r -r,--prompt= -7,--ascii -E,--encoding= -R,--recode= --no-hyphenation --nh --no-justification --nj -p,--preprocessor= -t,--troff -T,--troff-device? -H,--html?!r
    -X,--gxditview?!r -Z,--ditroff -B,--browser=prog!r -c,--catman -h -?,--help --usage -V,--version`,
  more: manual,
};
