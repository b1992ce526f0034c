import type { PathText, Word } from "../analysis.ts";
import { file, FORMATTED, hazard, type Findings } from "./findings.ts";
import { noteReadsMore } from "./jq.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { Operand, Spec, ParsedArgs } from "./program-spec.ts";
import { known } from "./word-text.ts";
import { kind, many, options } from "./option-groups.ts";

const SPLIT: PathText = { why: "files named by a `yq` expression" };
const LOADED: PathText = { why: "a file loaded by a `yq` expression" };
/** Whether a text could be a file name and is not a program of several words. */
export const isName = (text: string): boolean => /^[\w./~+@%,:-]+$/.test(text);
// Text that is no document path.
const NO_KEY = /^[^.]|\//;

function yq(use: ParsedArgs, out: Findings): void {
  const [sub, ...rest] = use.operands;
  const words =
    sub !== undefined && /^(?:e|ea|eval|eval-all)$/.test(sub.word.text ?? "") ? rest : use.operands;
  const inPlace = hasOption(use, "in-place");
  const [first, ...files] = words;
  const given = hasOption(use, "from-file expression");
  if (first !== undefined && !given) noteExpression(first, out);
  for (const { at, value } of optionsNamed(use, "expression"))
    if (value !== undefined) noteExpression({ at, word: value }, out);
  if (hasOption(use, "split-exp split-exp-file")) out.effects.push({ kind: "write", path: SPLIT });
  for (const { word } of given ? words : files) note(word, inPlace);
  if (first === undefined || given) return;
  // If a file with this name exists, it is the file.
  const { text } = first.word;
  const alone = files.length === 0;
  if (text === undefined ? alone : isName(text))
    note(first.word, inPlace && (alone || NO_KEY.test(text ?? "")));

  function note(word: Operand["word"], writes: boolean): void {
    if (word.text === "-") return;
    file(out, "read", word);
    if (writes) file(out, "write", word);
  }
}

// Access to the environment and other files. `.env` is a document key.
const LOADS =
  /(?:^|[^.\w"$])(?:load\w*|eval(?=\s*\()|env|strenv|envsubst|input\w*|import|include|system)\b|\$ENV/;

function noteExpression(expression: Operand, out: Findings): void {
  const { text } = expression.word;
  if (text === undefined || LOADS.test(text)) noteReadsMore(expression, out);
  if (text !== undefined && /\bload\w*\s*\(/.test(text))
    out.effects.push({ kind: "read", path: LOADED });
}

/** Both programs named yq: an expression, then files. */
export const YQ: Spec = {
  options: options`-n,--null-input -P,--prettyPrint -j,--tojson -y,--yaml-output -Y,--yaml-roundtrip -M,--no-colors -C,--colors
    -N,--no-doc -v,--verbose -0,--nul-output -h,--help -V,--version ${kind.flagThat("write")} -i,--inplace,--in-place ${kind.optional}
    -r,--unwrapScalar ${kind.value} -o,--output-format -p,--input-format --front-matter --expression -w,--width -I,--indent --arg
    ${kind.takes("read", "load")} -f,--from-file ${kind.valueThat("write")} -s,--split-exp ${kind.takes("read", "write")} --split-exp-file
    ${kind.flag} -e,--exit-status`,
  inert: "help version",
  more: yq,
};

/** gofmt: rewrites files. */
export const GOFMT: Spec = {
  options: options`-d -e -l -s ${kind.value} -r ${kind.flagThat("write")} -w ${kind.write} -cpuprofile`,
  operands: [many("read")],
  below: "always",
  more: (use, out) => {
    if (hasOption(use, "w"))
      for (const { word } of use.operands) file(out, "write", word, FORMATTED);
  },
};

/** Whether `go` takes this word for a path and not for the import path of a package. */
export const isGoPath = (word: Word): boolean =>
  word.text === undefined || /^[./~]|(?:^|\/)\.\.(?:\/|$)/.test(word.text);

/** `go fmt`: rewrites the files of packages. */
export function goFmt(use: ParsedArgs, out: Findings): void {
  if (hasOption(use, "n")) return;
  if (use.operands.length === 0) file(out, "write", known("."), FORMATTED);
  for (const { word } of use.operands) {
    const text = word.text?.replace(/\/?\.\.\.$/, "");
    if (isGoPath(word))
      file(out, "write", text === undefined ? word : known(text === "" ? "." : text), FORMATTED);
  }
}

/** dasel: changes its input file unless an output is given. */
export const DASEL: Spec = {
  options: options`${kind.read} -f,--file ${kind.value} -r,--read -w,--write -t,--type -v,--value -s,--selector -p,--parser ${kind.write}
    -o,--out`,
  operands: [many("data")],
  more: (use, out) => {
    if (!/^(?:put|delete)$/.test(use.operands[0]?.word.text ?? "put") || hasOption(use, "out"))
      return;
    for (const { at, value } of optionsNamed(use, "file")) {
      hazard(out, at, "write");
      if (value !== undefined) file(out, "write", value);
    }
  },
};

/** crudini: a file, then sections and keys. */
export const CRUDINI: Spec = {
  options: options`--set --get --del --merge --list --inplace --verbose --help --version ${kind.value} --list-sep --format --ini-options
    ${kind.optional} --existing ${kind.write} --output`,
  operands: ["rw", many("data")],
  quiet: "get",
  inert: "help version",
};
