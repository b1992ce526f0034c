import { isUtf8 } from "node:buffer";
import { createReadStream, fstatSync } from "node:fs";
import { BylawError, messageOf } from "@bylaw/kernel";
import { LINE_LIMIT_BYTES, TOO_LONG, linesOf } from "./lines.ts";

/** One line that is not blank. */
export interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

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
  const bad = (message: string, line?: number, cause?: unknown): BylawError =>
    new BylawError({ code, message, source: { file, ...(line === undefined ? {} : { line }) }, cause });
  let line = 0;
  try {
    for await (const lines of linesOf(open(file) as AsyncIterable<Buffer>)) {
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
    if (!(error instanceof Error && "syscall" in error)) throw error;
    const { code: reason } = error as NodeJS.ErrnoException;
    const what = { ENOENT: "missing file", ENOTDIR: "missing file", EISDIR: "directory" }[reason ?? ""];
    throw bad(`Unexpected ${what ?? `unreadable file (${reason ?? messageOf(error)})`}, expected ${expected}`, undefined, error);
  }
}

function open(file: string): NodeJS.ReadableStream {
  if (file !== "-") return createReadStream(file, { highWaterMark: 262_144 });
  if (fstatSync(0).isDirectory()) throw Object.assign(new Error("directory"), { code: "EISDIR", syscall: "read" });
  return process.stdin;
}
