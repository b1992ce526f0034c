import type { Word } from "../analysis.ts";
import { readAwkProgram, type AwkAction } from "./awk-program.ts";
import {
  file,
  hazard,
  inlineCode,
  isInput,
  runScript,
  unknown,
  type Findings,
  noteUnlisted,
} from "./findings.ts";
import { parseArgs, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec } from "./program-spec.ts";
import { assignmentName } from "./env.ts";
import { known, unknownWord } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

const AWK: Spec = {
  options: options`-b,--characters-as-bytes -c,--traditional -C,--copyright -g,--gen-pot -h,--help -I,--trace -k,--csv -M,--bignum
    -n,--non-decimal-data -N,--use-lc-numeric -O,--optimize -P,--posix -r,--re-interval -s,--no-optimize -V,--version --version --usage
    ${kind.load} -f,--file -E,--exec -i,--include -l,--load ${kind.value} -F,--field-separator -v,--assign -e,--source -W -m
    ${kind.of("glued", { does: "write" })} -d --dump-variables -o --pretty-print -p --profile ${kind.of("glued", { does: "run" })} -D
    --debug ${kind.optional} -L --lint ${kind.flag} -S,--sandbox -t,--lint-old`,
  posix: true,
};

/** awk: a program, then files and assignments. */
export function readAwk(out: Findings, from: number): void {
  const use = parseArgs(AWK, out.argv, from, { posix: true });
  if (hasOption(use, "help version usage copyright")) return;
  noteUnlisted(use, out);
  for (const { option, at, value } of use.options) {
    if (option.does !== undefined) hazard(out, at, option.does);
    if (option.role === "load" && value !== undefined) {
      if (isInput(value))
        unknown(
          out,
          out.input.kind === "text" ? "inline_code" : "dynamic_script",
          "an `awk` program on standard input",
        );
      file(out, "read", value);
      file(out, "execute", value);
    } else if (option.does === "write") file(out, "write", value ?? known("."));
    if (option.name === "W") hazard(out, at, "load");
  }
  let files = use.operands;
  const programs = optionsNamed(use, "source").map((used) => ({
    at: used.at,
    word: valueOf(used),
  }));
  if (programs.length === 0 && !hasOption(use, "file exec")) {
    const [first] = files;
    if (first !== undefined) programs.push(first);
    files = files.slice(1);
  }
  for (const { at, word } of programs) readOne(at, word, out);
  // Some awks join the program files to one text.
  const texts = programs.flatMap(({ word }) => word.text ?? []);
  if (texts.length > 1) for (const { at } of programs) readOne(at, known(texts.join("\n")), out);
  const inPlace = optionsNamed(use, "include").some(
    ({ value }) => value?.text === undefined || value.text.startsWith("inplace"),
  );
  for (const { word } of files) {
    if (word.text === "-" || /^[A-Za-z_]\w*$/.test(assignmentName(word) ?? "")) continue;
    file(out, "read", word);
    if (inPlace) file(out, "write", word);
  }
}

function readOne(at: number, word: Word, out: Findings): void {
  if (word.text?.includes("ENVIRON") === true) out.effects.push({ kind: "environment" });
  const actions = word.text === undefined ? undefined : readAwkProgram(word.text);
  if (actions !== undefined) for (const action of actions) applyRole(action, at, out);
  else if (word.text === undefined) {
    hazard(out, at, "run");
    unknown(out, "dynamic_script", "an `awk` program known only at run time");
  } else inlineCode(out, at, "an `awk` program");
}

function applyRole({ does, text }: AwkAction, at: number, out: Findings): void {
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
