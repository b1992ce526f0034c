/** A name as it is compared: letter case, blanks, and what cannot be seen make no other person of anybody. */
export const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()
    .normalize("NFKC");
