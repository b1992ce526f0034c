import { suggest } from "@bylaw/config";

/** The advice for a misspelt word; nothing where no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const near = suggest(word, known);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}
