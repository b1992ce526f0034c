import { createReadStream, fstatSync } from "node:fs";
import { messageOf } from "@bylaw/kernel";

/** Opens a file, or standard input for `-`. */
export function openInput(file: string): AsyncIterable<Buffer> {
  if (file !== "-") return createReadStream(file, { highWaterMark: CHUNK });
  // Node reads a folder on standard input as empty, which would look like a file without lines.
  if (fstatSync(0).isDirectory())
    throw Object.assign(new Error("directory"), { code: "EISDIR", syscall: "read" });
  return process.stdin as AsyncIterable<Buffer>;
}

// Larger chunks than Node's default, for files with millions of lines.
const CHUNK = 262_144;

/** The reason why a file cannot be read, as a sentence with its name. Undefined for an error about anything else. */
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
