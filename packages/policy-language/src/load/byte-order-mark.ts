/** Removes the byte order mark that some editors put at the start of a text. */
export const withoutMark = (text: string): string =>
  text.startsWith("\uFEFF") ? text.slice(1) : text;
