import type { Word } from "../analysis.ts";
import { doubtStart, readOptions, runArgv } from "./apply.ts";
import { assignmentName, splitEnv } from "./env.ts";
import { hazard, runScript, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readUse, usedOf, uses, valueOf, type Use } from "./use.ts";
import { after, command, concat, joined, known, unknownWord } from "./words.ts";
import { roleOf } from "../variables.ts";

const ENV: Spec = {
  options: `-i,--ignore-environment -0,--null -u,--unset= -C,--chdir=dir -S,--split-string= -v,--debug -a,--argv0= -P=
    --block-signal? --default-signal? --ignore-signal? --list-signal-handling --help --version`,
  posix: true,
};
/** Assignments, then the command. */
export function runAfterAssignments(use: Use, out: Out): void {
  for (const { at, word } of use.operands) {
    const name = assignmentName(word);
    if (name === undefined) {
      runArgv(out, at);
      doubtStart(use, out);
      return;
    }
    if (roleOf(name, after(word, name.length + 1)) !== "harmless") hazard(out, at, "configure");
  }
}

/** env: options, assignments and a command; `-S` puts the words of a text among them. */
export function readEnv(out: Out, from: number): void {
  const { argv } = out;
  const use = readUse(ENV, argv, from, { posix: true });
  const [split] = usedOf(use, "split-string");
  if (split === undefined) {
    if (uses(use, "help version")) return;
    readOptions(use, out);
    const [first] = use.operands;
    runAfterAssignments(first?.word.text === "-" ? { ...use, operands: use.operands.slice(1) } : use, out);
    return;
  }
  // The words of the text, and after them all that follows it, are read as if they stood there: options of the command, too.
  const value = valueOf(split);
  const end = split.value !== undefined && split.value === argv[split.at + 1] ? split.at + 2 : split.at + 1;
  const before = readUse(ENV, argv.slice(0, end), from, { posix: true });
  readOptions(before, out);
  const words = value.text === undefined ? undefined : splitEnv(value.text);
  if (words === undefined) {
    out.carries = true;
    runScript(out, split.at, joined([known("env"), withHoles(value), ...argv.slice(end)]));
  } else runScript(out, split.at, command([known("env"), ...words.map(known), ...argv.slice(end)]));
}

// The variables of the text, and its escapes, are not known.
function withHoles(value: Word): Word {
  if (value.text === undefined) return value;
  return concat(
    value.text.split(/(\$\{[^}]*\}?|\$\w*|\\.)/s).map((part, index) => (index % 2 === 1 ? unknownWord({ single: true }) : known(part))),
  );
}
