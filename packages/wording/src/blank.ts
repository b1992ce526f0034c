// What nobody sees: controls, format and tag characters, variation selectors, fillers, and blanks that Unicode calls letters or symbols.
const INVISIBLE =
  /(?!\s)[\p{C}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}]/gu;

/** The part of a text that a reader sees: without invisible characters, and without white space around it. */
export const visibleText = (text: string): string => text.replace(INVISIBLE, "").trim();

/** Whether a reader sees nothing of a text: it is empty, or has only white space and invisible characters. */
export const isBlank = (text: string): boolean => visibleText(text) === "";
