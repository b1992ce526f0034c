import { createReadStream, fstatSync } from "node:fs";
import { messageOf } from "@bylaw/kernel";

/** The bytes of a file, or of the standard input for `-`. */
export function openInput(file: string): AsyncIterable<Buffer> {
  if (file !== "-") return createReadStream(file, { highWaterMark: CHUNK });
  // Node takes a directory on the standard input for an input without a byte, which would be one without a line.
  if (fstatSync(0).isDirectory()) throw Object.assign(new Error("directory"), { code: "EISDIR", syscall: "read" });
  return process.stdin as AsyncIterable<Buffer>;
}

// Fewer and larger reads than Node's own, for files of millions of lines.
const CHUNK = 262_144;

/** What was found in place of an input that can be read; nothing for an error about anything else. */
export function inputFault(error: unknown): string | undefined {
  if (!(error instanceof Error && "syscall" in error && ["open", "read", "fstat"].includes(String(error.syscall)))) return undefined;
  const { code = "" } = error as NodeJS.ErrnoException;
  return FAULTS.get(code) ?? `unreadable file (${code === "" ? messageOf(error) : code})`;
}

const FAULTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "missing file"],
  ["ENOTDIR", "missing file"],
  ["EISDIR", "directory"],
]);
