// Marks that a terminal or an editor acts on, or does not show. Outside of strings JSON has none of them, and inside the escape
// means the same character.
const HIDDEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A value as JSON that holds nothing invisible: on one line, or indented. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    HIDDEN,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
