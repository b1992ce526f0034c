import type { Word } from "../analysis.ts";
import { hostOf } from "./hosts.ts";
import { file, hazard, inlineCode, isInput, network, unknown, type Out } from "./out.ts";
import { mayTouch } from "./touch.ts";
import { mayBeOption, prefix } from "./words.ts";

const ADDRESS = /^(?!file:)([a-z][a-z0-9+.-]+):/i;

/** Notes that an interpreter gets its code from its input. */
export function runInput(out: Out): void {
  const name = out.argv[0]?.text ?? "?";
  unknown(out, "inline_code", out.input.kind === "text" ? `code in the input of \`${name}\`` : `input of \`${name}\`, which runs as code`);
}

/** Notes the file that an interpreter runs, which is the input by another name or comes from elsewhere; what follows is for it. */
export function runFile(out: Out, at: number, word: Word): void {
  carryFrom(out, at + 1);
  mayTouch(out, at + 1);
  const name = out.argv[0]?.text ?? "?";
  const start = prefix(word);
  const scheme = ADDRESS.exec(start)?.[1]?.toLowerCase();
  if (isInput(word)) runInput(out);
  else if (word.text === undefined && (out.depth > 0 || mayBeOption(word))) {
    inlineCode(out, at, `script or option of \`${name}\` that is only known when it runs`);
  } else if (scheme !== undefined) {
    if (scheme !== "data" && scheme !== "node") network(out, scheme.startsWith("http") ? hostOf(word) : undefined);
    if (/^(?:npm|jsr|node)$/.test(scheme)) hazard(out, at, "load");
    else inlineCode(out, at, `code for \`${name}\` that is no file`);
  } else {
    file(out, "read", word);
    file(out, "execute", word);
  }
}

/** Notes that the words from a position on are for a script or a task, which may run them. */
export function carryFrom(out: Out, from: number): void {
  if (from < out.argv.length) out.carriesFrom ??= from;
}
