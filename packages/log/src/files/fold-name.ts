// U+2800, the blank of Braille, looks like a space, but Unicode does not class it as one.
const UNSEEN = /[\p{C}\u2800]/gu;

/**
 * Folds a name for comparisons that must tell two people or agents apart. Unicode form, letter case, spaces and invisible characters do not
 * make a different name.
 */
export const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/\s/gu, " ")
    .replace(UNSEEN, "")
    .replace(/ +/g, " ")
    .trim()
    .toLowerCase()
    .normalize("NFKC");
