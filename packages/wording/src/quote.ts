const LONGEST = 80;

/**
 * Text in one line of at most `most` characters: line breaks become blanks, and what is not seen or turns the direction of the text is
 * written as an escape, so that it cannot look like two messages. A longer text ends in `…`.
 */
export const oneLine = (text: string, most: number): string =>
  short(escaped(cut(text, most).replace(/[\t-\r\u2028\u2029]+/g, " ")), most);

/** The same for prose of somebody else, without the backticks that our messages quote with. */
export const prose = (text: string, most: number): string =>
  oneLine(text, most).replaceAll("`", "'");

/**
 * A name or a text of somebody else in backticks, with none inside, in one line of at most 80 characters. What is not seen, and every line
 * break, is written as an escape, so that no name looks like another. A longer text ends in `…`.
 */
export const quote = (text: string): string =>
  `\`${short(escaped(cut(text, LONGEST)), LONGEST).replaceAll("`", "'")}\``;

/** Names, each quoted, with commas; at most `most` of them, and how many more there are. "none" for none. */
export function quoteAll(names: Iterable<string>, most: number = Infinity): string {
  const all = [...names];
  const told = all.slice(0, most).map(quote);
  const more = all.length - told.length;
  return all.length === 0 ? "none" : `${told.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

// Before anything else, so that a text of megabytes costs as little as a short one.
const cut = (text: string, most: number): string => text.slice(0, most + 1).toWellFormed();

const escaped = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );

const short = (line: string, most: number): string =>
  line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
