import { isAbsolute, relative } from "node:path";
import type { BylawError, Effect } from "@bylaw/kernel";
import { formatLocation } from "@bylaw/wording";

/** The place of a mistake in a file. */
export type SourceLocation = NonNullable<BylawError["source"]>;

// Characters that a terminal acts on: control characters, and marks that reorder or hide text. Agents choose tool names and arguments.
const ACTIVE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text in one line without characters that a terminal acts on. */
export function plain(text: string): string {
  return text.replace(
    ACTIVE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Shortens text to at most `length` characters in one plain line. */
export function short(text: string, length: number): string {
  return plain(text.length > length ? `${text.slice(0, length - 1)}…` : text);
}

/** Formats a place as `file:line:column`. A file below the working directory gets a relative path. */
export function place({ file, line, column }: SourceLocation): string {
  const seen = isAbsolute(file) ? relative(process.cwd(), file) : file;
  return plain(
    formatLocation({
      file: seen === "" || seen.startsWith("..") ? file : seen,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    }),
  );
}

/** Styles a word for a terminal. Leaves it plain in a pipe, or if `NO_COLOR` is set. */
export type Paint = (style: "green" | "yellow" | "red" | "dim" | "bold", text: string) => string;

/** A count with its noun: `1 call`, `2 calls`. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;

/** An effect in its colour, padded to a width. */
export const effectText = (effect: Effect, paint: Paint, width = 0): string =>
  paint(COLOURS[effect], effect.padEnd(width));

const COLOURS = { allow: "green", ask_user: "yellow", deny: "red" } as const;
const CODES = { green: 32, yellow: 33, red: 31, dim: 2, bold: 1 } as const;

/** Chooses the paint for an output stream. */
export function paintFor(stream: { readonly isTTY?: boolean }): Paint {
  const { NO_COLOR, TERM } = process.env;
  const colours =
    stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb";
  return colours ? (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m` : (_, text) => text;
}
