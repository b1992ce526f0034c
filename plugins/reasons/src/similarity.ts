/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** The most characters of a text that are compared, because finding words takes time. */
const COMPARED = 200_000;

// A fixed language, so that every machine finds the same words.
let segmenter: Intl.Segmenter | undefined;

/** The distinct words of a text, in lower case. Punctuation is part of a word; invisible characters and compatibility forms make no new one. */
export function wordsOf(text: string): ReadonlySet<string> {
  const plain = plainOf(text.slice(0, COMPARED)).toLowerCase();
  const parts = plain.split(/\s+/);
  const words = new Set(
    UNSPACED.test(plain)
      ? parts.flatMap((part) => (UNSPACED.test(part) ? [...unspaced(part)] : part))
      : parts,
  );
  words.delete("");
  return words;
}

/** A text without invisible characters and compatibility forms. */
// Most texts are ASCII, which needs no normalization.
export const plainOf = (text: string): string =>
  /[^\u0000-\u007f]/.test(text) ? text.normalize("NFKC").replace(INVISIBLE, "") : text;

function* unspaced(part: string): Generator<string> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(part))
    if (isWordLike === true) yield segment;
}

/** The number of words that two sets share, and the number in both together. Two empty sets count as equal. */
export interface Overlap {
  readonly shared: number;
  readonly all: number;
}

export function overlapOf(left: ReadonlySet<string>, right: ReadonlySet<string>): Overlap {
  const [small, large] = left.size < right.size ? [left, right] : [right, left];
  let shared = 0;
  for (const word of small) if (large.has(word)) shared += 1;
  return { shared, all: left.size + right.size - shared };
}

/** Whether more than `percent` of the words of two texts are the same. Exactly `percent` is not more. */
export const isTooSimilar = ({ shared, all }: Overlap, percent: number): boolean =>
  all === 0 ? percent < 100 : shared * 100 > percent * all;
