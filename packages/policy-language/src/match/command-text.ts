import type { Word } from "@bylaw/shell";

/** Formats a word, with `…` for unknown parts. */
export const shown = ({ text, pieces }: Word): string =>
  text ?? pieces.map((piece) => (typeof piece === "string" ? piece : "…")).join("");

/** Quotes a word if it is empty or contains a space. */
export const quoted = (text: string): string =>
  text === "" || /\s/.test(text) ? `'${text}'` : text;

/** The text of a command from one word on. */
interface CommandText {
  /** The whole text, or the known text before the first unknown word. */
  readonly head: string;
  /** The known text after the last unknown word. Undefined if everything is known. */
  readonly tail: string | undefined;
}

/** The text from a word on, with `program` as its first word. `quotes`: quotes words that are empty or contain a space. */
export function textFrom(
  words: readonly Word[],
  from: number,
  program: string,
  { quotes }: { readonly quotes: boolean },
): CommandText {
  let head = program;
  let tail: string | undefined;
  for (let at = from + 1; at < words.length; at++) {
    const word = words[at];
    if (word?.text !== undefined && word.single) {
      const text = quotes ? quoted(word.text) : word.text;
      if (tail === undefined) head += ` ${text}`;
      else tail += ` ${text}`;
      continue;
    }
    const pieces = word?.pieces ?? [];
    const [first] = pieces;
    const last = pieces.at(-1);
    // A word that may disappear also takes away the space before it.
    if (tail === undefined && word?.single === true)
      head += ` ${typeof first === "string" ? first : ""}`;
    tail = typeof last === "string" && word?.single === true ? last : "";
  }
  return { head, tail };
}
