/** Control characters, and characters that change the direction of text or take no space. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Text as it is safe to read: characters that could hide or reorder other text are written as escapes. */
export const shown = (text: string): string =>
  text.replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The time of day of an event, and the day if it is another one. */
export function timeText(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return shown(timestamp.slice(0, 40));
  const day =
    time.toDateString() === new Date().toDateString() ? "" : `${time.toISOString().slice(0, 10)} `;
  return day + time.toTimeString().slice(0, 8);
}
