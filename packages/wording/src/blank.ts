// Invisible characters: controls, format and tag characters, variation selectors, fillers, and blanks that Unicode lists as
// letters or symbols.
const INVISIBLE =
  /(?!\s)[\p{C}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}]/gu;

/** Returns the visible part of a text: without invisible characters, and without white space around it. */
export const visibleText = (text: string): string => text.replace(INVISIBLE, "").trim();

/** Whether a text has no visible characters: it is empty, or has only white space and invisible characters. */
export const isBlank = (text: string): boolean => visibleText(text) === "";
