import type { Word } from "../analysis.ts";
import { file, hazard, runScript, unknown, type Out } from "./out.ts";
import { readSedScript, type SedAction } from "./sed-script.ts";
import type { Spec } from "./spec.ts";
import { readUse, uses, usedOf, valueOf } from "./use.ts";
import { known, unknownWord } from "./words.ts";

const SED: Spec = {
  options: `-n,--quiet,--silent --debug -e,--expression= -f,--file=load!l --follow-symlinks -i,--in-place?!w -I?!w -l,--line-length= --posix -E,-r,--regexp-extended
    -s,--separate --sandbox -u,--unbuffered -z,--null-data -a --help --version`,
};

interface Script {
  readonly at: number;
  readonly word: Word;
}

/** sed: a script that can run programs and write files, then files. */
export function readSed(out: Out, from: number): void {
  const use = readUse(SED, out.argv, from, { posix: false });
  if (uses(use, "help version")) return;
  for (const { option, at } of use.options) if (option.does !== undefined) hazard(out, at, option.does);
  for (const used of usedOf(use, "file")) {
    file(out, "read", valueOf(used));
    file(out, "execute", valueOf(used));
  }
  let files = use.operands;
  const scripts: Script[] = usedOf(use, "expression").map((used) => ({ at: used.at, word: valueOf(used) }));
  if (scripts.length === 0 && !uses(use, "file")) {
    const [first, second] = files;
    if (first !== undefined) scripts.push(first);
    files = files.slice(1);
    // `sed -i '' script` as BSD has it.
    if (first?.word.text === "" && second !== undefined) scripts.push(second);
  }
  if (!uses(use, "sandbox")) readScripts(scripts, out);
  const inPlace = uses(use, "in-place I");
  for (const { word } of files) {
    if (word.text !== "-") file(out, "read", word);
    if (inPlace) file(out, "write", word);
  }
}

function readScripts(scripts: readonly Script[], out: Out): void {
  const unsure = scripts.find(({ word }) => word.text === undefined);
  if (unsure !== undefined) {
    hazard(out, unsure.at, "run");
    unknown(out, "dynamic_script", "script of `sed` that is only known when it runs");
    return;
  }
  const text = scripts.map(({ word }) => word.text ?? "").join("\n");
  const variants = text.includes("[") ? [{ brackets: false }, { brackets: true }] : [{ brackets: false }];
  const readings = variants.map((variant) => readSedScript(text, variant));
  // A reading that is an error runs nothing in the sed that reads it so.
  const sound = readings.filter((actions) => !actions.some(({ does }) => does === "error"));
  for (const actions of sound.length > 0 ? sound : readings) for (const action of actions) play(action, placeOf(action, scripts), out);
}

function placeOf({ index }: SedAction, scripts: readonly Script[]): number {
  let start = 0;
  for (const { at, word } of scripts) {
    start += (word.text ?? "").length + 1;
    if (index < start) return at;
  }
  return scripts.at(-1)?.at ?? 0;
}

function play({ does, text }: SedAction, at: number, out: Out): void {
  if (does === "error") hazard(out, at, "run");
  else if (does === "run") runScript(out, at, text === undefined ? unknownWord({ single: true }) : known(text));
  else {
    hazard(out, at, does === "write" ? "write" : "load");
    file(out, does, text === undefined ? unknownWord({ single: true }) : known(text));
  }
}
