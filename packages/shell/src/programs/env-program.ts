import type { Word } from "../analysis.ts";
import { readOptions, readWrapped } from "./apply-spec.ts";
import { assignmentName, splitEnv } from "./env.ts";
import { hazard, runScript, type Findings } from "./findings.ts";
import { parseArgs, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, command, concat, joined, known, unknownWord } from "./word-text.ts";
import { roleOf } from "../expand/variables.ts";
import { kind, options } from "./option-groups.ts";

const ENV: Spec = {
  options: options`-i,--ignore-environment -0,--null -v,--debug --list-signal-handling --help --version ${kind.value} -u,--unset
    -S,--split-string -a,--argv0 -P ${kind.takes("dir")} -C,--chdir ${kind.optional} --block-signal --default-signal --ignore-signal`,
  posix: true,
  transparent: true,
};

/** Reads assignments, then the command. Returns whether there is one. */
export function runAfterAssignments(use: ParsedArgs, out: Findings): boolean {
  const first = use.operands.findIndex(({ word }) => assignmentName(word) === undefined);
  for (const { at, word } of use.operands.slice(0, first < 0 ? undefined : first)) {
    const name = assignmentName(word) ?? "";
    if (roleOf(name, after(word, name.length + 1)) !== "harmless") hazard(out, at, "configure");
  }
  if (first >= 0) readWrapped(first, use, out);
  return first >= 0;
}

/** env: options, assignments and a command. `-S` splits a text into further arguments. */
export function readEnv(out: Findings, from: number): void {
  const { argv } = out;
  const use = parseArgs(ENV, argv, from, { posix: true });
  const [split] = optionsNamed(use, "split-string");
  if (split === undefined) {
    if (hasOption(use, "help version")) return;
    readOptions(use, out);
    const [first] = use.operands;
    const operands = first?.word.text === "-" ? use.operands.slice(1) : use.operands;
    const runs = runAfterAssignments({ ...use, operands }, out);
    if (!runs) out.effects.push({ kind: "environment" });
    return;
  }
  // The words of the text replace the option, followed by the remaining arguments.
  const value = valueOf(split);
  const end =
    split.value !== undefined && split.value === argv[split.at + 1] ? split.at + 2 : split.at + 1;
  const before = parseArgs(ENV, argv.slice(0, end), from, { posix: true });
  readOptions(before, out);
  const words = value.text === undefined ? undefined : splitEnv(value.text);
  if (words === undefined) {
    out.carries = true;
    runScript(out, split.at, joined([known("env"), withHoles(value), ...argv.slice(end)]));
  } else runScript(out, split.at, command([known("env"), ...words.map(known), ...argv.slice(end)]));
}

// Variables and escapes in the text are unknown.
function withHoles(value: Word): Word {
  if (value.text === undefined) return value;
  return concat(
    value.text
      .split(/(\$\{[^}]*\}?|\$\w*|\\.)/s)
      .map((part, index) => (index % 2 === 1 ? unknownWord({ single: true }) : known(part))),
  );
}
