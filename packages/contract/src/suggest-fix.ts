import { didYouMean } from "@bylaw/wording";

/** Suggests the nearest known word, or else the given fix. */
export const suggestFix = (
  word: string,
  known: Iterable<string>,
  otherwise?: string,
): string | undefined => didYouMean(word, known) ?? otherwise;
