import type { Word } from "../analysis.ts";
import { file, hazard, runScript, unknown, type Findings, noteUnlisted } from "./findings.ts";
import { readSedScript, type SedAction } from "./sed-script.ts";
import { parseArgs, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { ParsedArgs, Spec } from "./program-spec.ts";
import { concat, known, unknownWord } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

export const SED: Spec = {
  options: options`-n,--quiet,--silent --debug --follow-symlinks --posix -E,-r,--regexp-extended -s,--separate --sandbox -u,--unbuffered
    -z,--null-data -a --help --version ${kind.value} -e,--expression -l,--line-length ${kind.load} -f,--file
    ${kind.of("glued", { does: "write" })} -i,--in-place -I`,
};

interface Script {
  readonly at: number;
  readonly word: Word;
}

/** sed: a script that can run programs and write files, then files. */
export function readSed(out: Findings, from: number): void {
  const use = parseArgs(SED, out.argv, from, { posix: false });
  if (hasOption(use, "help version")) return;
  noteUnlisted(use, out);
  for (const { option, at } of use.options)
    if (option.does !== undefined) hazard(out, at, option.does);
  // In BSD `-l` takes no value, so the next word is the script.
  for (const { at, value } of optionsNamed(use, "line-length"))
    if (!/^\d+$/.test(value?.text ?? "")) hazard(out, at, "run");
  for (const used of optionsNamed(use, "file")) {
    file(out, "read", valueOf(used));
    file(out, "execute", valueOf(used));
  }
  let files = use.operands;
  const scripts: Script[] = optionsNamed(use, "expression").map((used) => {
    const word = valueOf(used);
    // `-e` says nothing about the script, which an allow has to spell out.
    return { at: out.argv[used.at + 1] === word ? used.at + 1 : used.at, word };
  });
  if (scripts.length === 0 && !hasOption(use, "file")) {
    const [first, second] = files;
    if (first !== undefined) scripts.push(first);
    files = files.slice(1);
    // BSD has `sed -i '' script`.
    if (first?.word.text === "" && second !== undefined) scripts.push(second);
    else if (optionsNamed(use, "in-place").some(({ value }) => value === undefined))
      readSecond(second, out);
  }
  if (!hasOption(use, "sandbox")) readScripts(scripts, out);
  const inPlace = hasOption(use, "in-place I");
  const endings = ["in-place", "I"].flatMap((name) =>
    optionsNamed(use, name).flatMap(({ value }) => value ?? []),
  );
  const empties = scripts.length === 1 && deletesLines(scripts[0]?.word.text ?? "", use);
  for (const { word } of files) {
    if (word.text !== "-") file(out, "read", word);
    if (inPlace) file(out, "write", word, { inPlace });
    for (const ending of endings) file(out, "write", backupOf(word, ending));
    if (inPlace && empties) file(out, "delete", word);
  }
}

// Where sed keeps the file as it was. In an ending, `*` stands for the name of the file, and a slash leads to another folder.
const backupOf = (word: Word, ending: Word): Word =>
  /[*/]/.test(ending.text ?? "*") ? unknownWord({ single: true }) : concat([word, ending]);

// In BSD the word after `-i` is a suffix, and the next one the script. To others it is a file.
function readSecond(script: Script | undefined, out: Findings): void {
  const actions = readSedScript(script?.word.text ?? "", { brackets: false });
  if (actions.some(({ does }) => does === "error")) return;
  for (const { does, text } of actions)
    if ((does === "read" || does === "write") && text !== undefined) file(out, does, known(text));
}

// Whether a script leaves nothing, or only the first lines, of every file.
function deletesLines(script: string, use: ParsedArgs): boolean {
  const text = script.trim();
  return (
    /^(?:(?:1,\$|\/[.^]?\*?\/)?\s*[dD]|\d*[qQ]);?$/.test(text) ||
    (hasOption(use, "quiet silent") && /^[^pPwWicalrR=]*$/.test(text))
  );
}

function readScripts(scripts: readonly Script[], out: Findings): void {
  const unsure = scripts.find(({ word }) => word.text === undefined);
  if (unsure !== undefined) {
    hazard(out, unsure.at, "run");
    unknown(out, "dynamic_script", "a `sed` script known only at run time");
    return;
  }
  const text = scripts.map(({ word }) => word.text ?? "").join("\n");
  const variants = text.includes("[")
    ? [{ brackets: false }, { brackets: true }]
    : [{ brackets: false }];
  const readings = variants.map((variant) => readSedScript(text, variant));
  // A sed that finds an error in the script runs nothing.
  const sound = readings.filter((actions) => !actions.some(({ does }) => does === "error"));
  for (const actions of sound.length > 0 ? sound : readings)
    for (const action of actions) applyRole(action, placeOf(action, scripts), out);
}

function placeOf({ index }: SedAction, scripts: readonly Script[]): number {
  let start = 0;
  for (const { at, word } of scripts) {
    start += (word.text ?? "").length + 1;
    if (index < start) return at;
  }
  return scripts.at(-1)?.at ?? 0;
}

function applyRole({ does, text }: SedAction, at: number, out: Findings): void {
  if (does === "error") hazard(out, at, "run");
  else if (does === "run")
    runScript(out, at, text === undefined ? unknownWord({ single: true }) : known(text));
  else {
    hazard(out, at, does === "write" ? "write" : "load");
    file(out, does, text === undefined ? unknownWord({ single: true }) : known(text));
  }
}
