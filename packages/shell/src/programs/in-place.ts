import type { PathText } from "../analysis.ts";
import { file, hazard, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses, usedOf, type Operand, type Use } from "./use.ts";
import { known, prefix } from "./words.ts";

const SPLIT: PathText = { why: "files that an expression of `yq` names" };
const LOADED: PathText = { why: "file that an expression of `yq` loads" };
/** Whether a text could be the name of a file, and is surely no program of several words. */
export const isName = (text: string): boolean => /^[\w./~+@%,:-]+$/.test(text);
// What is no path into a document.
const NO_KEY = /^[^.]|\//;

function yq(use: Use, out: Out): void {
  const [sub, ...rest] = use.operands;
  const words = sub !== undefined && /^(?:e|ea|eval|eval-all)$/.test(sub.word.text ?? "") ? rest : use.operands;
  const inPlace = uses(use, "in-place");
  const [first, ...files] = words;
  const given = uses(use, "from-file expression");
  if (first !== undefined && !given) noteExpression(first, out);
  for (const { at, value } of usedOf(use, "expression")) if (value !== undefined) noteExpression({ at, word: value }, out);
  if (uses(use, "split-exp split-exp-file")) out.effects.push({ kind: "write", path: SPLIT });
  for (const { word } of given ? words : files) note(word, inPlace);
  if (first === undefined || given) return;
  // A file of this name is one, whatever stands behind it.
  const { text } = first.word;
  const alone = files.length === 0;
  if (text === undefined ? alone : isName(text)) note(first.word, inPlace && (alone || NO_KEY.test(text ?? "")));

  function note(word: Operand["word"], writes: boolean): void {
    if (word.text === "-") return;
    file(out, "read", word);
    if (writes) file(out, "write", word);
  }
}

// The environment and other files; `.env` is a key.
const LOADS = /(?:^|[^.\w"$])(?:load\w*|env|strenv|envsubst|input\w*|import|include|system)\b|\$ENV/;

function noteExpression({ at, word: { text } }: Operand, out: Out): void {
  if (text === undefined || LOADS.test(text)) hazard(out, at, "load");
  if (text !== undefined && /\bload\w*\s*\(/.test(text)) out.effects.push({ kind: "read", path: LOADED });
}

/** yq, in both programs of that name: an expression, then files. */
export const YQ: Spec = {
  options: `-i,--inplace,--in-place!w -n,--null-input -r,--unwrapScalar? -P,--prettyPrint -o,--output-format= -p,--input-format= -f,--from-file=read!l --front-matter= -s,--split-exp=!w
    --split-exp-file=read!w --expression= -e,--exit-status -j,--tojson -y,--yaml-output -Y,--yaml-roundtrip -w,--width= -M,--no-colors -C,--colors -N,--no-doc -I,--indent= --arg= -v,--verbose -0,--nul-output
    -h,--help -V,--version`,
  inert: "help version",
  more: yq,
};

/** gofmt: writes what it looks at. */
export const GOFMT: Spec = {
  options: "-d -e -l -r= -s -w!w -cpuprofile=write!w",
  operands: "read*",
  below: "always",
  more: (use, out) => {
    if (uses(use, "w")) for (const { word } of use.operands) file(out, "write", word, { below: true });
  },
};

/** `go fmt`: the same, by packages. */
export function goFmt(use: Use, out: Out): void {
  if (uses(use, "n")) return;
  if (use.operands.length === 0) file(out, "write", known("."), { below: true });
  for (const { word } of use.operands) {
    const text = word.text?.replace(/\/?\.\.\.$/, "");
    if (/^[./]/.test(prefix(word))) file(out, "write", text === undefined ? word : known(text === "" ? "." : text), { below: true });
  }
}

/** dasel: changes its file where no other is named. */
export const DASEL: Spec = {
  options: "-f,--file=read -r,--read= -w,--write= -o,--out=write!w -t,--type= -v,--value= -s,--selector= -p,--parser=",
  operands: "data*",
  more: (use, out) => {
    if (!/^(?:put|delete)$/.test(use.operands[0]?.word.text ?? "put") || uses(use, "out")) return;
    for (const { at, value } of usedOf(use, "file")) {
      hazard(out, at, "write");
      if (value !== undefined) file(out, "write", value);
    }
  },
};

/** crudini: its file, then what is in it. */
export const CRUDINI: Spec = {
  options:
    "--set --get --del --merge --list --list-sep= --existing? --format= --inplace --output=write!w --verbose --ini-options= --help --version",
  operands: "rw data*",
  quiet: "get",
  inert: "help version",
};
