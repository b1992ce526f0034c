import { createReadStream, fstatSync } from "node:fs";
import { messageOf } from "@bylaw/kernel";

/** The bytes of a file, or of the standard input for `-`. */
export function openInput(file: string): AsyncIterable<Buffer> {
  if (file !== "-") return createReadStream(file, { highWaterMark: CHUNK });
  // Node reads a directory on standard input as empty, which would pass for a file without lines.
  if (fstatSync(0).isDirectory())
    throw Object.assign(new Error("directory"), { code: "EISDIR", syscall: "read" });
  return process.stdin as AsyncIterable<Buffer>;
}

// Fewer and larger reads than Node's own, for files of millions of lines.
const CHUNK = 262_144;

/** Why a file cannot be read, in one sentence that names it; `undefined` for an error about anything else. */
export function inputFault(error: unknown, file: string): string | undefined {
  if (
    !(
      error instanceof Error &&
      "syscall" in error &&
      ["open", "read", "fstat"].includes(String(error.syscall))
    )
  )
    return undefined;
  const { code = "" } = error as NodeJS.ErrnoException;
  const name = file === "-" ? "Standard input" : file;
  if (code === "ENOENT" || code === "ENOTDIR") return `File not found: ${name}`;
  if (code === "EISDIR") return `${name} is a directory, not a file`;
  return `Cannot read ${name}: ${code === "" ? messageOf(error) : code}`;
}
