/** Control characters, and characters that are invisible or change the direction of text. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text as it is safe to read: characters that could hide or reorder other text are written as escapes. */
export const shown = (text: string): string =>
  text.replace(HIDDEN, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
  });

/** The time of day of an event, and the day if it is another one. */
export function timeText(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return shown(timestamp.slice(0, 40));
  const day =
    time.toDateString() === new Date().toDateString() ? "" : `${time.toISOString().slice(0, 10)} `;
  return day + time.toTimeString().slice(0, 8);
}
