import { isUtf8 } from "node:buffer";
import { BylawError } from "@bylaw/kernel";
import { inputFault, openInput } from "./input.ts";
import { LINE_LIMIT_BYTES, TOO_LONG, linesOf } from "./lines.ts";

/** One line that is not blank. */
export interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

/** A message about the JSON of one line, to which every line is the first. */
export const withoutLine = (message: string): string => message.replace(/\(line \d+, /, "(");

/** What a file of lines is called in errors. */
export interface LineFile {
  readonly code: `BYLAW_${string}`;
  /** Completes "expected". */
  readonly expected: string;
}

/**
 * The lines of a file, or of the standard input for `-`, in constant memory, as many as each chunk completes. Throws an error with
 * the file, and the line where one is too long or no UTF-8.
 */
export async function* textLines(file: string, { code, expected }: LineFile): AsyncGenerator<readonly TextLine[]> {
  const bad = (message: string, line?: number, cause?: unknown, fix?: string): BylawError =>
    new BylawError({ code, message, fix, source: { file, ...(line === undefined ? {} : { line }) }, cause });
  let line = 0;
  try {
    for await (const lines of linesOf(openInput(file))) {
      const texts: TextLine[] = [];
      for (const bytes of lines) {
        line++;
        if (bytes === TOO_LONG) throw bad(`Unexpected line of more than ${LINE_LIMIT_BYTES} bytes`, line);
        if (!isUtf8(bytes)) throw bad("Unexpected bytes that are not UTF-8, expected JSON text", line);
        const whole = bytes.toString("utf8");
        const text = line === 1 && whole.startsWith("\ufeff") ? whole.slice(1) : whole;
        if (!/^[ \t\r]*$/.test(text)) texts.push({ text, line });
      }
      if (texts.length > 0) yield texts;
    }
  } catch (error) {
    const what = inputFault(error);
    throw what === undefined
      ? error
      : bad(`Unexpected ${what}, expected ${expected}`, undefined, error, "name a file, or - for the standard input");
  }
}
