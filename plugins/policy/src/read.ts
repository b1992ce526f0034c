import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { BylawError } from "@bylaw/kernel";
import { POLICY_LIMITS } from "@bylaw/policy-language";

// A UTF-16 code unit takes at most three bytes of UTF-8, so a larger file certainly exceeds the limit.
const MAX_BYTES = POLICY_LIMITS.characters * 3;

/** Reads a whole policy file. Throws BYLAW_POLICY_MISSING or BYLAW_POLICY_UNREADABLE. */
export function readPolicy(path: string): string {
  const source = { file: path };
  const unreadable = (message: string, fix: string, cause?: unknown): never => {
    throw new BylawError({ code: "BYLAW_POLICY_UNREADABLE", message, fix, source, cause });
  };
  const refuseIrregular = (stat: Stats): void => {
    if (stat.isDirectory())
      unreadable(`\`${path}\` is a folder, not a policy file`, "Name the file in it");
    if (!stat.isFile())
      unreadable(`\`${path}\` is a device or pipe, not a policy file`, "Name a regular file");
  };
  let handle = -1;
  try {
    // Opening a pipe waits for its writer, so the kind of file is checked first, and again after opening because the file may be
    // replaced in between.
    refuseIrregular(statSync(path));
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(handle);
    refuseIrregular(stat);
    if (stat.size > MAX_BYTES) {
      unreadable(
        `The policy file \`${path}\` has ${stat.size} bytes; at most ${MAX_BYTES} are allowed`,
        "Split the policy into several files",
      );
    }
    const bytes = Buffer.alloc(stat.size + 1);
    let length = 0;
    for (;;) {
      const count = readSync(handle, bytes, length, bytes.length - length, null);
      length += count;
      if (count === 0) break;
      if (length > stat.size) unreadable(`\`${path}\` grew while it was read`, "Try again");
    }
    return decode(path, bytes.subarray(0, length), unreadable);
  } catch (error) {
    if (error instanceof BylawError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new BylawError({
        code: "BYLAW_POLICY_MISSING",
        message: `File not found: ${path}`,
        fix: "Create the file, or name another in the option `files`",
        source,
        cause: error,
      });
    }
    return unreadable(
      `Cannot read \`${path}\` (${code ?? "unknown error"})`,
      "Check the permissions of the file",
      error,
    );
  } finally {
    if (handle >= 0) closeSync(handle);
  }
}

function decode(
  path: string,
  bytes: Uint8Array,
  unreadable: (message: string, fix: string) => never,
): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const at = firstBadByte(bytes);
    const line = bytes.subarray(0, at).filter((byte) => byte === 10).length + 1;
    return unreadable(`Line ${line} of \`${path}\` is not UTF-8`, "Save the file as UTF-8");
  }
  // Parsers disagree about a second one: some skip it like a blank, others keep it in the text.
  if (text.startsWith("\ufeff\ufeff")) {
    unreadable(`\`${path}\` has a second byte order mark`, "Save the file without it");
  }
  return text;
}

function firstBadByte(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // `stream` ignores a character that is cut off at the end.
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle + 1), {
        stream: true,
      });
      low = middle + 1;
    } catch {
      high = middle;
    }
  }
  return low;
}
