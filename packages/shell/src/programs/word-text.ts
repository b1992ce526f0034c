import type { Word } from "../analysis.ts";

type Piece = Word["pieces"][number];

/** A word whose text is known. */
export function known(text: string): Word {
  return { text, pieces: text === "" ? [] : [text], single: true };
}

/** A word whose text is unknown. */
export function unknownWord(shape: { readonly single: boolean }): Word {
  return { text: undefined, pieces: [{ hole: "any" }], single: shape.single };
}

/** The same word, for a program that may use more files than the shell finds for a glob. */
export function notListed({ text, pieces, single }: Word): Word {
  return { text, pieces, single };
}

/** The known text at the start of a word. */
export function prefix(word: Word): string {
  if (word.text !== undefined) return word.text;
  const [first] = word.pieces;
  return typeof first === "string" ? first : "";
}

/** The text of a word, with `$` for unknown parts. */
export function seen({ text, pieces }: Word): string {
  return text ?? pieces.map((piece) => (typeof piece === "string" ? piece : "$")).join("");
}

/** Whether a word could be an option: it starts with a dash, or is unknown. */
export function mayBeOption(word: Word): boolean {
  if (word.text !== undefined) return word.text.startsWith("-");
  if (word.operand === true) return false;
  const start = prefix(word);
  return start === "" || start.startsWith("-");
}

/** The word without its first characters, which must be known. */
export function after(word: Word, count: number): Word {
  if (word.text !== undefined) return known(word.text.slice(count));
  const [first, ...rest] = word.pieces;
  if (typeof first !== "string") return word;
  const left = first.slice(count);
  return { text: undefined, pieces: left === "" ? rest : [left, ...rest], single: word.single };
}

export function concat(words: readonly Word[]): Word {
  let text: string | undefined = "";
  const pieces: Piece[] = [];
  for (const word of words) {
    text = text === undefined || word.text === undefined ? undefined : text + word.text;
    pieces.push(...word.pieces);
  }
  if (text !== undefined) return known(text);
  return { text, pieces: merged(pieces), single: true };
}

function merged(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (typeof piece === "string" && typeof last === "string")
      result[result.length - 1] = last + piece;
    else result.push(piece);
  }
  return result;
}

/** Joins words with spaces, as ssh and eval do. */
export function joined(words: readonly Word[]): Word {
  const parts: Word[] = [];
  for (const word of words) {
    if (parts.length > 0) parts.push(known(" "));
    parts.push(word);
  }
  return concat(parts);
}

/** Quotes text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A script of one command with exactly these words. Unknown if one of the words is. */
export function command(words: readonly Word[]): Word {
  return joined(
    words.map((word) =>
      word.text === undefined ? word : known(plain(word.text) ? word.text : quoted(word.text)),
    ),
  );
}

function plain(text: string): boolean {
  return /^[A-Za-z0-9_./:@%+,=-]+$/.test(text);
}

/** The name of a program without its directory. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether a program only prints its words, whatever they are. */
export const printsAnyWords = (program: Word | undefined): boolean =>
  /^(?:echo|basename|dirname)$/.test(program?.text ?? "");

/** Whether a word stays one long option, whatever its glob finds: `--include=*.ts`. */
export const isNamedOption = (word: Word): boolean =>
  /^--[a-z][\w-]*=/.test(prefix(word)) &&
  word.pieces.every((piece) => typeof piece === "string" || piece.hole === "name");
