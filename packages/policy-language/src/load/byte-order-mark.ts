/** A text without the mark that some editors put before it. */
export const withoutMark = (text: string): string =>
  text.startsWith("\uFEFF") ? text.slice(1) : text;
