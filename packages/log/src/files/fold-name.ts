// The blank of Braille is none to Unicode, and looks like one.
const UNSEEN = /[\p{C}\u2800]/gu;

/**
 * A name as it is compared where it must be somebody else's: form, letter case, blanks and what cannot be seen make no other agent or
 * person of anybody.
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
