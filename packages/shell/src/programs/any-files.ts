import type { Word } from "../analysis.ts";
import type { Findings } from "./findings.ts";
import { pathOf } from "./path-of-word.ts";
import { after, prefix } from "./word-text.ts";

/** Records that a program may read and write every file that its words name, from a position on, also in options and after `@`. */
export function noteAnyFiles(out: Findings, from: number): void {
  const { argv } = out;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined) continue;
    const start = prefix(word);
    const sign = start.indexOf("=");
    if (sign >= 0) noteNames(out, after(word, sign + 1));
    if (!start.startsWith("-")) noteNames(out, word);
    else if (sign < 0 && !start.startsWith("--") && start.length > 2)
      noteNames(out, after(word, 2));
  }
}

function noteNames(out: Findings, word: Word): void {
  noteFile(out, word);
  // `@file` names a file that holds arguments.
  const signs = /^@*/.exec(prefix(word))?.[0].length ?? 0;
  if (signs > 0) noteFile(out, after(word, 1));
  if (signs > 1) noteFile(out, after(word, signs));
}

function noteFile(out: Findings, word: Word): void {
  if (word.text === "") return;
  const path = pathOf(word, out.base);
  out.effects.push({ kind: "read", path }, { kind: "write", path });
}
