import type { Word } from "../analysis.ts";
import { prefix } from "./word-text.ts";

/** The name in an assignment word such as `A=1`. Undefined for any other word. */
export function assignmentName(word: Word): string | undefined {
  const start = prefix(word);
  const sign = start.indexOf("=");
  return sign < 0 ? undefined : start.slice(0, sign);
}

/** The words into which `env -S` splits a text. Undefined if it uses escapes or variables. */
export function splitEnv(text: string): readonly string[] | undefined {
  if (/[\\$]/.test(text)) return undefined;
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const character of text) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "#" && word === undefined) break;
    else word = (word ?? "") + character;
  }
  if (quote !== "") return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
