// Characters that are invisible, change the direction of text, or look like a space.
const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f-\xa0\xad]|\u034f|[\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f]|\u200d|[\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/u;
const PRINTABLE = /^[\t\n -~]*$/;
// Emoji joined to one sign, such as a family.
const JOINED =
  /(?<=\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d(?=\p{Extended_Pictographic}|[\u2640\u2642])/gu;

/** Finds the first character that people and shells could read differently, as `U+200B`. Undefined if there is none. */
export function hiddenCharacter(text: string): string | undefined {
  if (PRINTABLE.test(text)) return undefined;
  const seen = text.includes("\u200d") ? text.replace(JOINED, "") : text;
  const found = HIDDEN.exec(seen)?.[0].codePointAt(0);
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}

const FOREIGN = /[^\0-\x7f]/;

export function isAscii(text: string): boolean {
  return !FOREIGN.test(text);
}

// Other dashes, or letters of other alphabets after a dash. No program knows such options.
const OPTION =
  /^(?:[\u058a\u05be\u1400\u1806\u2010-\u2015\u207b\u208b\u2043\u2212\u2e3a\u2e3b\u30fc\ufe58\ufe63\uff0d]\S|-[^\0-\x7f]|--[\w-]*[^\0-\x7f])/;

/** Whether a word looks like an option but is none. */
export function isOptionLookalike(text: string): boolean {
  return OPTION.test(text);
}

/** Finds the first character that looks like a shell operator but is none. */
export function operatorLookalike(text: string): string | undefined {
  if (isAscii(text)) return undefined;
  for (const character of text)
    if (!isAscii(character) && /^[;|&<>()`$]$/.test(character.normalize("NFKC"))) return character;
  return undefined;
}
