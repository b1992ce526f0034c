import type { Word } from "../analysis.ts";
import { readAwkProgram, type AwkAction } from "./awk-program.ts";
import { file, hazard, inlineCode, isInput, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readUse, uses, usedOf, valueOf } from "./use.ts";
import { assignmentName } from "./env.ts";
import { known, unknownWord } from "./words.ts";

const AWK: Spec = {
  options: `-f,--file=load!l -F,--field-separator= -v,--assign= -b,--characters-as-bytes -c,--traditional -C,--copyright -d?!w --dump-variables?!w -D?!r --debug?!r -e,--source=
    -E,--exec=load!l -g,--gen-pot -h,--help -i,--include=load!l -I,--trace -k,--csv -l,--load=load!l -L? --lint? -M,--bignum -n,--non-decimal-data -N,--use-lc-numeric -o?!w --pretty-print?!w
    -O,--optimize -p?!w --profile?!w -P,--posix -r,--re-interval -s,--no-optimize -S,--sandbox -t,--lint-old -V,--version -W= -m= --version --usage`,
  posix: true,
};

/** awk: a program, then files and assignments. */
export function readAwk(out: Out, from: number): void {
  const use = readUse(AWK, out.argv, from, { posix: true });
  if (uses(use, "help version usage copyright")) return;
  for (const { option, at, value } of use.options) {
    if (option.does !== undefined) hazard(out, at, option.does);
    if (option.role === "load" && value !== undefined) {
      if (isInput(value)) unknown(out, out.input.kind === "text" ? "inline_code" : "dynamic_script", "program of `awk` in its input");
      file(out, "read", value);
      file(out, "execute", value);
    } else if (option.does === "write") file(out, "write", value ?? known("."));
    if (option.name === "W") hazard(out, at, "load");
  }
  let files = use.operands;
  const programs = usedOf(use, "source").map((used) => ({ at: used.at, word: valueOf(used) }));
  if (programs.length === 0 && !uses(use, "file exec")) {
    const [first] = files;
    if (first !== undefined) programs.push(first);
    files = files.slice(1);
  }
  for (const { at, word } of programs) readOne(at, word, out);
  // Some take the pieces for one text.
  const texts = programs.flatMap(({ word }) => word.text ?? []);
  if (texts.length > 1) for (const { at } of programs) readOne(at, known(texts.join("\n")), out);
  const inPlace = usedOf(use, "include").some(({ value }) => value?.text === undefined || value.text.startsWith("inplace"));
  for (const { word } of files) {
    if (word.text === "-" || /^[A-Za-z_]\w*$/.test(assignmentName(word) ?? "")) continue;
    file(out, "read", word);
    if (inPlace) file(out, "write", word);
  }
}

function readOne(at: number, word: Word, out: Out): void {
  const actions = word.text === undefined ? undefined : readAwkProgram(word.text);
  if (actions !== undefined) for (const action of actions) play(action, at, out);
  else if (word.text === undefined) {
    hazard(out, at, "run");
    unknown(out, "dynamic_script", "program of `awk` that is only known when it runs");
  } else inlineCode(out, at, "program of `awk`");
}

function play({ does, text }: AwkAction, at: number, out: Out): void {
  const word = text === undefined ? unknownWord({ single: true }) : known(text);
  if (does === "run") {
    if (text?.includes("\\") === true) runScript(out, at, unknownWord({ single: true }));
    else runScript(out, at, word);
    return;
  }
  hazard(out, at, does === "write" ? "write" : "load");
  if (does === "load") {
    file(out, "read", word);
    file(out, "execute", word);
  } else file(out, does, word);
}
