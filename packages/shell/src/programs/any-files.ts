import type { Word } from "../analysis.ts";
import { network, type Findings } from "./findings.ts";
import { hostOf } from "./hosts.ts";
import { pathOf } from "./path-of-word.ts";
import { after, baseName, prefix } from "./word-text.ts";

// Options of test runners that a script of the project may start, with the name of a test as value.
const NAMES_TEST = /^(?:-t|-g|--grep|--testNamePattern|--test-name-pattern)$/;
const STARTS_SCRIPT = /^(?:npm|pnpm|yarn|bun)$/;
// To these, what looks like a path from the root is a target of the project.
const READS_LABELS = /^bazel(?:isk)?$/;
const LABEL = /^\/\//;

/** Records that a program may read and write every file that its words name, from a position on, also in options and after `@`. */
export function noteAnyFiles(out: Findings, from: number): void {
  const { argv } = out;
  const name = baseName(argv[0]?.text ?? "");
  const runsScript = STARTS_SCRIPT.test(name);
  const end = READS_LABELS.test(name) ? endOfLabels(argv) : 0;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined) continue;
    const start = prefix(word);
    if (at < end && LABEL.test(start)) continue;
    const sign = start.indexOf("=");
    // The name of a test has several words, and a path seldom does.
    if (runsScript && NAMES_TEST.test(argv[at - 1]?.text ?? "") && /\s/.test(start)) continue;
    if (sign >= 0) noteNames(out, after(word, sign + 1));
    if (!start.startsWith("-")) noteNames(out, word);
    else if (sign < 0 && !start.startsWith("--") && start.length > 2)
      noteNames(out, after(word, 2));
  }
}

// `bazel run` runs the first target with the words after it.
function endOfLabels(argv: readonly Word[]): number {
  const one = argv.some(({ text }) => text === "run");
  const end = argv.findIndex(
    ({ text }, at) => text === "--" || (one && /^\/\/|:/.test(argv[at - 1]?.text ?? "")),
  );
  return end < 0 ? argv.length : end;
}

function noteNames(out: Findings, word: Word): void {
  noteFile(out, word);
  // `@file` names a file that holds arguments.
  const signs = /^@*/.exec(prefix(word))?.[0].length ?? 0;
  if (signs > 0) noteFile(out, after(word, 1));
  if (signs > 1) noteFile(out, after(word, signs));
}

// A parser of addresses reads `http:host` like `http://host`, and drops blanks before it.
const WEB_ADDRESS = /^\s*https?:/i;
const WITH_SLASHES = /^https?:\/\//i;

function noteFile(out: Findings, word: Word): void {
  const { text } = word;
  if (text === "") return;
  const isAddress = text !== undefined && WEB_ADDRESS.test(text);
  if (isAddress) network(out, WITH_SLASHES.test(text) ? hostOf(word) : undefined);
  // To a program that opens files, an address is a path below a folder such as `http:`.
  const path = pathOf(isAddress ? { ...word, text: `./${text}` } : word, out.base);
  out.effects.push({ kind: "read", path }, { kind: "write", path });
}
