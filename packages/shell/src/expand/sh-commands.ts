import type { Word } from "../analysis.ts";
import { isFileTool, specOf } from "../programs/program-table.ts";
import { baseName } from "../programs/word-text.ts";
import type { WordNode } from "../parse/syntax.ts";
import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";
import { visitWord } from "./expansions.ts";
import { roleOf } from "./variables.ts";
import { appendWords } from "./words.ts";

// `sh` may be a shell that knows neither `[[` nor `((`. It looks for a program `[[`, which fails, so it runs what is behind `||` as a
// command. It reads `((` as two subshells.

const UNKNOWN: Word = { text: undefined, pieces: [{ hole: "any" }], single: true };
const NUMBER = /^"?[-+]?\d*"?$/;

/** Collects what an operand of `[[` after the first one runs, in bash and in `sh`. */
export function visitLaterOperand(walk: WalkState, node: WordNode): void {
  const { text } = node;
  if (/\$\((?!\()|`|\$\{?[1-9@*!]/.test(text))
    noteRun(walk, "dynamic_command", `${quote(text)} in \`[[\``);
  else if (/\$/.test(text)) return visitVariables(walk, node);
  else if (!NUMBER.test(text)) noteRun(walk, "syntax", `${quote(text)} in \`[[\``);
  visitWord(walk, node);
}

function visitVariables(walk: WalkState, node: WordNode): void {
  const words: Word[] = [];
  appendWords(walk, node, words);
  // No command has these words.
  walk.tildes = undefined;
  const isProgram = words.some(({ text }) => text !== undefined && mayBeProgram(text));
  const names = [...node.text.matchAll(/[A-Za-z_]\w*/g)].map(([name]) => name);
  if (isProgram || names.some((name) => roleOf(name, UNKNOWN) === "command"))
    noteRun(walk, "dynamic_command", `${quote(node.text)} in \`[[\``);
  if (words.some(mayBeAnyText)) (walk.arithmeticTexts ??= []).push(node.text);
}

const mayBeAnyText = ({ pieces, globbed, found }: Word): boolean =>
  globbed !== true &&
  found === undefined &&
  pieces.some((piece) => typeof piece !== "string" && piece.hole === "any");

/** Records a program in the regular expression of `[[ x =~ a|b ]]`, which `sh` reads as a pipe. */
export function noteShPipe(walk: WalkState, expression: WordNode): void {
  for (const [, word = ""] of expression.text.matchAll(/\|\s*([^\s|()]+)/g))
    if (/[$`/]/.test(word.replace(/\$$/, "")) || mayBeProgram(word))
      noteRun(walk, "syntax", `${quote(word)} behind \`|\` in \`[[\``);
}

/** Records a program or a file to write in the text of `((`. */
export function noteShArithmetic(walk: WalkState, text: string): void {
  for (const [, word = "", rest = ""] of text.matchAll(/([^\s<>|&();!]+)([^|&();]*)/g))
    if (mayBeProgram(word) && !(isFileTool(word) && !/[A-Za-z_$]/.test(rest)))
      noteRun(walk, "syntax", `${quote(word)} in \`((\``);
  // It writes to the file behind `>`, which may be a link. A number is hardly one.
  for (const [, word = ""] of text.matchAll(/>[>&|]?\s*([^\s<>|&();]*)/g))
    if (!/^(?:=\w*|\d*)$/.test(word))
      noteUnknown(walk, "syntax", `${quote(word)} behind \`>\` in \`((\`, where \`sh\` may write`);
}

const mayBeProgram = (text: string): boolean =>
  /^[/~]|\.\./.test(text) || specOf(baseName(text)) !== undefined;

function noteRun(walk: WalkState, code: "syntax" | "dynamic_command", what: string): void {
  noteUnknown(walk, code, `${what}, which \`sh\` may run`);
}
