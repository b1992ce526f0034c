import { isUtf8 } from "node:buffer";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { BylawError } from "@bylaw/kernel";
import { inputFault, openInput } from "./input.ts";
import { LINE_LIMIT_BYTES, TOO_LONG, linesOf } from "./split-lines.ts";

/** One line that is not blank. */
export interface TextLine {
  readonly text: string;
  /** The number of the line, from 1. */
  readonly line: number;
}

/** Removes the line number from a message about the JSON of one line, where it would always be 1. */
export const withoutLine = (message: string): string => message.replace(/\(line \d+, /, "(");

/**
 * Reads the lines of a file, which is unpacked if it ends in `.gz`, or of standard input for `-`, in constant memory. Yields the lines that each chunk completes. Throws
 * an error with the file, and with the line if it is too long or not UTF-8.
 */
export async function* textLines(
  file: string,
  code: `BYLAW_${string}`,
): AsyncGenerator<readonly TextLine[]> {
  const bad = (message: string, line?: number, cause?: unknown, fix?: string): BylawError =>
    new BylawError({
      code,
      message,
      fix,
      source: { file, ...(line === undefined ? {} : { line }) },
      cause,
    });
  let line = 0;
  try {
    for await (const lines of linesOf(
      file.endsWith(".gz") ? unpacked(openInput(file)) : openInput(file),
    )) {
      const texts: TextLine[] = [];
      for (const bytes of lines) {
        line++;
        if (bytes === TOO_LONG)
          throw bad(`The line is longer than ${LINE_LIMIT_BYTES} bytes`, line);
        if (!isUtf8(bytes)) throw bad("The line is not valid UTF-8", line);
        const whole = bytes.toString("utf8");
        const text = line === 1 && whole.startsWith("\ufeff") ? whole.slice(1) : whole;
        if (!/^[ \t\r]*$/.test(text)) texts.push({ text, line });
      }
      if (texts.length > 0) yield texts;
    }
  } catch (error) {
    const message = inputFault(error, file);
    throw message === undefined
      ? error
      : bad(message, undefined, error, "Name a file, or - for standard input");
  }
}

function unpacked(packed: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const text = createGunzip();
  // A failure also ends the reading of the text.
  pipeline(packed, text, () => {});
  return text;
}
