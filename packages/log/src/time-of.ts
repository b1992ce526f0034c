let known = { text: "", at: Number.NaN };

/**
 * Milliseconds since 1970 of an RFC 3339 time; NaN for what is none. All who judge a call ask for the time of that call, one after the other,
 * and to read a time takes longer than most of what they do with it: the last one is remembered.
 */
export function timeOf(text: string): number {
  if (text !== known.text) known = { text, at: Date.parse(text) };
  return known.at;
}
