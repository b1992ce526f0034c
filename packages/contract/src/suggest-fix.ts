import { didYouMean } from "@bylaw/wording";

/** "did you mean" for a misspelt word, or else the advice that is given. */
export const suggestFix = (
  word: string,
  known: Iterable<string>,
  otherwise?: string,
): string | undefined => didYouMean(word, known) ?? otherwise;
