import type { Word } from "../analysis.ts";
import { file, hazard, inlineCode, type Findings } from "./findings.ts";
import { hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { prefix } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

// A `$` or a line end ends a value, and then options or keys follow. `+` is followed by keys, which can run programs.
const KEYS = /[$+\u0000-\u001f\u007f]/;
// `+G`, `+F`, `+/text` and `+12` only move.
const MOVES = /^\+{1,2}(\d*[gGFpP%]?|[/?][^$\u0000-\u001f\u007f]*)$/;

// A pager also reads keys and options from within its options.
function pager(use: ParsedArgs, out: Findings): void {
  for (const { option, at, value } of use.options) {
    const word = out.argv[at];
    const text = word?.text;
    // Whether the value is known, as a separate word or as part of this one.
    const known = text !== undefined && (value === undefined || value.text !== undefined);
    if (!known || KEYS.test(text) || KEYS.test(value?.text ?? "")) hazard(out, at, "run");
    else if (option.value === "number" && !/^[-\d.,]*$/.test(value?.text ?? ""))
      hazard(out, at, "run");
  }
  for (const { at } of use.unknownOptions) hazard(out, at, "run");
  for (const { at, word } of use.operands) {
    if (!prefix(word).startsWith("+")) file(out, "read", word);
    else if (word.text === undefined || !MOVES.test(word.text))
      inlineCode(out, at, "commands in the arguments of a pager");
  }
}

/** less, whose option letters may follow a number. */
export const LESS: Spec = {
  options: options`-a,--search-skip-screen -A,--SEARCH-SKIP-SCREEN -B,--auto-buffers -c,--clear-screen -C,--CLEAR-SCREEN -d,--dumb
    -e,--quit-at-eof -E,--QUIT-AT-EOF -f,--force -F,--quit-if-one-screen -g,--hilite-search -G,--HILITE-SEARCH -i,--ignore-case
    -I,--IGNORE-CASE -J,--status-column -K,--quit-on-intr -L,--no-lessopen -m,--long-prompt -M,--LONG-PROMPT -n,--line-numbers
    -N,--LINE-NUMBERS -q,--quiet,--silent -Q,--QUIET,--SILENT -r,--raw-control-chars -R,--RAW-CONTROL-CHARS -s,--squeeze-blank-lines
    -S,--chop-long-lines -u,--underline-special -U,--UNDERLINE-SPECIAL -v,-V,--version -w,--hilite-unread -W,--HILITE-UNREAD -X,--no-init
    --follow-name --MOUSE --use-color --incsearch --no-keypad --redraw-on-quit --exit-follow-on-close --file-size --no-histdups
    --no-number-headers --no-search-headers --no-vbell --status-line --use-backslash --no-edit-warn --form-feed ${kind.of("number")}
    -b,--buffers -h,--max-back-scroll -j,--jump-target -y,--max-forw-scroll -z,--window -#,--shift --header --line-num-width --match-shift
    --status-col-width --wheel-lines ${kind.value} -D,--color -p,--pattern -P,--prompt -",--quotes --rscroll --search-options
    --intr ${kind.load} -t,--tag -k,--lesskey-file --lesskey-src ${kind.takes("code", "load")} --lesskey-content --lesskey-context ${kind.code}
    --cmd ${kind.write} -o,--log-file -O,--LOG-FILE ${kind.read} -T,--tag-file ${kind.of("number")} -x,--tabs ${kind.flag} -~,--tilde
    --mouse --wordwrap --proc-backspace --proc-return --proc-tab --show-preproc-errors ${kind.flagThat("write")} --save-marks
    ${kind.valueThat("write")} --autosave ${kind.of("number")} --modelines`,
  more: pager,
};

/** more, which is less on some systems. */
export const MORE: Spec = {
  options: options`-d -e -f -l -p -c -s -u -h,--help -V,--version -P -i -R -S -F -X ${kind.of("number")} -n,--lines`,
  more: pager,
};

// Words that become part of pager options, directory names and the formatter's command.
const PLAIN = /^[\w@][\w@,:-]*$/;
const SINGLE =
  /^(prompt|preprocessor|device|troff-device|encoding|recode|locale|systems|sections|extension)$/;

function manual(use: ParsedArgs, out: Findings): void {
  for (const { option, at, value } of use.options) {
    if (!SINGLE.test(option.name) || value === undefined) continue;
    const { text } = value;
    if (text === undefined || !(option.name === "prompt" ? /^[A-Za-z0-9 ]*$/ : PLAIN).test(text))
      hazard(out, at, "run");
  }
  for (const { at } of use.unknownOptions) hazard(out, at, "run");
  for (const { at, word } of use.operands) {
    // A name with a slash is a file, formatted by troff.
    if (!hasOption(use, "local-file") && word.text !== undefined && !word.text.includes("/"))
      continue;
    if (!hasOption(use, "local-file") && isName(word)) continue;
    hazard(out, at, "load");
    file(out, "read", word);
  }
}

// A glob matches names without a slash.
function isName(word: Word): boolean {
  return word.pieces.every((piece) =>
    typeof piece === "string" ? !piece.includes("/") : piece.hole === "name",
  );
}

/** man, which runs a formatter and a pager. */
export const MAN: Spec = {
  options: options`-d,--debug -D,--default -k,--apropos -K,--global-apropos -i,--ignore-case -I,--match-case --regex --names-only -a,--all
    -u,--update --no-subpages -7,--ascii --no-hyphenation --nh --no-justification --nj -t,--troff -Z,--ditroff -c,--catman -h --usage
    -V,--version ${kind.load} -C,--config-file ${kind.optional} --warnings -T,--troff-device ${kind.flag} -f,--whatis
    -w,--where,--path,--location -W,--where-cat,--location-cat --wildcard ${kind.flagThat("load")} -l,--local-file ${kind.value}
    -L,--locale -m,--systems -S,-s,--sections -e,--extension -r,--prompt -E,--encoding -R,--recode -p,--preprocessor
    ${kind.takes("read", "load")} -M,--manpath ${kind.script} -P,--pager -B,--browser ${kind.of("glued", { does: "run" })} -H,--html
    -X,--gxditview`,
  more: manual,
};
