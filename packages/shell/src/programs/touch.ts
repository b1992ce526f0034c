import type { Word } from "../analysis.ts";
import type { Out } from "./out.ts";
import { pathOf } from "./paths.ts";
import { after, prefix } from "./words.ts";

/** Notes that a program may read and write all that its words from a position on name, in options and after `@` too. */
export function mayTouch(out: Out, from: number): void {
  const { argv } = out;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined) continue;
    const start = prefix(word);
    const sign = start.indexOf("=");
    if (sign >= 0) both(out, after(word, sign + 1));
    if (!start.startsWith("-")) both(out, word);
    else if (sign < 0 && !start.startsWith("--") && start.length > 2) both(out, after(word, 2));
  }
}

function both(out: Out, word: Word): void {
  touch(out, word);
  // `@file` is a name that the file holds the words.
  const signs = /^@*/.exec(prefix(word))?.[0].length ?? 0;
  if (signs > 0) touch(out, after(word, 1));
  if (signs > 1) touch(out, after(word, signs));
}

function touch(out: Out, word: Word): void {
  if (word.text === "") return;
  const path = pathOf(word, out.base);
  out.effects.push({ kind: "read", path }, { kind: "write", path });
}
