/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** As much of a text is compared: finding words takes time. */
const COMPARED = 200_000;

// A fixed language, so that every machine finds the same words.
let segmenter: Intl.Segmenter | undefined;

/** The distinct words of a text, in lower case. Punctuation is part of a word; invisible characters and compatibility forms make no new one. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  const plain = text.slice(0, COMPARED).normalize("NFKC").replace(INVISIBLE, "").toLowerCase();
  for (const part of plain.split(/\s+/)) {
    if (part === "") continue;
    if (!UNSPACED.test(part)) words.add(part);
    else for (const word of unspaced(part)) words.add(word);
  }
  return words;
}

function* unspaced(part: string): Generator<string> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(part)) if (isWordLike === true) yield segment;
}

/** How many words two sets share, of how many in both together: 0 of 0 is all of them. */
export interface Overlap {
  readonly shared: number;
  readonly all: number;
}

/** Compares two sets of words. */
export function overlapOf(left: ReadonlySet<string>, right: ReadonlySet<string>): Overlap {
  const [small, large] = left.size < right.size ? [left, right] : [right, left];
  let shared = 0;
  for (const word of small) if (large.has(word)) shared += 1;
  return { shared, all: left.size + right.size - shared };
}

/** Whether more than `percent` of the words of two texts are the same. Exactly so many are not more. */
export const isTooSimilar = ({ shared, all }: Overlap, percent: number): boolean =>
  all === 0 ? percent < 100 : shared * 100 > percent * all;
