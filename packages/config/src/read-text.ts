import { readFileSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import { BylawError, messageOf } from "@bylaw/kernel";

const LIMIT_BYTES = 1_048_576;

/**
 * The text of a configuration file, without a byte order mark. Throws BYLAW_CONFIG_MISSING, or BYLAW_CONFIG_INVALID for a
 * directory, for bytes that are not UTF-8, for an empty file, and for more than 1 MiB.
 */
export function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
  const refuse = (message: string, fix?: string): never => {
    throw new BylawError({ code: "BYLAW_CONFIG_INVALID", message, fix, source: { file } });
  };
  if (bytes.length > LIMIT_BYTES) refuse(`Unexpected ${bytes.length} bytes of configuration, expected at most 1 MiB`);
  if (!isUtf8(bytes)) refuse("Unexpected bytes that are not UTF-8, expected text", "save the file as UTF-8");
  const text = bytes.toString("utf8");
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (plain.trim() === "") refuse("Unexpected empty file, expected a configuration", "run `bylaw init` in a new folder");
  return plain;
}

function unreadable(file: string, cause: unknown): BylawError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new BylawError({
      code: "BYLAW_CONFIG_MISSING",
      message: "Unexpected missing file, expected a configuration",
      fix: "mend the path, or run `bylaw init`",
      source: { file },
      cause,
    });
  }
  return new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message: code === "EISDIR" ? "Unexpected directory, expected a configuration file" : `Unexpected unreadable file: ${messageOf(cause)}`,
    ...(code === "EISDIR" ? { fix: "name the file inside it" } : {}),
    source: { file },
    cause,
  });
}
