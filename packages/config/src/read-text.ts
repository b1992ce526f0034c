import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
  type Stats,
} from "node:fs";
import { BylawError, messageOf } from "@bylaw/kernel";

const LIMIT_BYTES = 1_048_576;

/**
 * Reads a configuration file and removes a byte order mark. Throws BYLAW_CONFIG_MISSING, and BYLAW_CONFIG_INVALID for a folder, a
 * pipe or a device, for bytes that are not UTF-8, for an empty file, and for more than 1 MiB.
 */
export function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readRegular(file);
  } catch (cause) {
    throw cause instanceof BylawError ? cause : unreadable(file, cause);
  }
  const refuse = (message: string, fix?: string): never => {
    throw new BylawError({ code: "BYLAW_CONFIG_INVALID", message, fix, source: { file } });
  };
  if (!isUtf8(bytes)) refuse("The configuration is not valid UTF-8 text", "Save the file as UTF-8");
  const text = bytes.toString("utf8");
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  // Another reader may skip a second byte order mark, and so read another text than the parser here.
  if (plain.startsWith("\ufeff"))
    refuse("The configuration starts with a second byte order mark", "Save the file without it");
  if (plain.trim() === "") refuse("The configuration is empty", "Run `bylaw init` in a new folder");
  return plain;
}

// Opening a pipe waits for its writer, and reading a pipe or a device may never end. So both are refused before opening. They are
// refused again after opening, because the file may have been replaced in between.
function readRegular(file: string): Buffer {
  refuseIrregular(file, statSync(file));
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    refuseIrregular(file, fstatSync(handle));
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Throws BYLAW_CONFIG_INVALID for a folder, pipe, socket or device, and for more than 1 MiB. */
export function refuseIrregular(file: string, stats: Stats): void {
  const refuse = (message: string, fix: string): never => {
    throw new BylawError({ code: "BYLAW_CONFIG_INVALID", message, fix, source: { file } });
  };
  if (stats.isDirectory()) refuse(`${file} is a directory, not a file`, "Name the file inside it");
  if (!stats.isFile())
    refuse(`${file} is a device or a pipe, not a regular file`, "Name a regular file");
  if (stats.size > LIMIT_BYTES) {
    refuse(
      `The configuration has ${stats.size} bytes, more than 1 MiB`,
      "Move parts of it into rulesets",
    );
  }
}

function unreadable(file: string, cause: unknown): BylawError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new BylawError({
      code: "BYLAW_CONFIG_MISSING",
      message: `File not found: ${file}`,
      fix: "Check the path, or run `bylaw init`",
      source: { file },
      cause,
    });
  }
  return new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message: `Cannot read ${file}: ${messageOf(cause)}`,
    source: { file },
    cause,
  });
}
