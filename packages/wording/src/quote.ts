const MAX_LENGTH = 80;

/**
 * Formats text on one line of at most `most` characters. Line breaks become spaces. Characters that are invisible or change the
 * direction of text are escaped, so that it cannot look like two messages. A longer text ends in `…`.
 */
export const oneLine = (text: string, most: number): string =>
  short(escaped(cut(text, most).replace(/[\t-\r\u2028\u2029]+/g, " ")), most);

/** Formats prose written by someone else like {@link oneLine}, without backticks, because our messages quote with them. */
export const prose = (text: string, most: number): string =>
  oneLine(text, most).replaceAll("`", "'");

/**
 * Quotes foreign text in backticks, on one line of at most 80 characters, without backticks inside. Invisible characters and line
 * breaks are escaped, so that no name looks like another. A longer text ends in `…`.
 */
export const quote = (text: string): string =>
  `\`${short(escaped(cut(text, MAX_LENGTH)), MAX_LENGTH).replaceAll("`", "'")}\``;

/** Quotes names and joins them with commas: at most `most` of them, then the number of others. Returns "none" for an empty list. */
export function quoteAll(names: Iterable<string>, most: number = Infinity): string {
  const all = [...names];
  const shown = all.slice(0, most).map(quote);
  const more = all.length - shown.length;
  return all.length === 0 ? "none" : `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

// Cut first, so that a text of megabytes takes no longer than a short one.
const cut = (text: string, most: number): string => text.slice(0, most + 1).toWellFormed();

const escaped = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );

const short = (line: string, most: number): string =>
  line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
