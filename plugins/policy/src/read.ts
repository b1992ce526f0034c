import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { BylawError } from "@bylaw/kernel";
import { POLICY_LIMITS } from "@bylaw/policy-language";

// UTF-8 takes at most three bytes for one UTF-16 code unit; a file above this is over the limit whatever it holds.
const MAX_BYTES = POLICY_LIMITS.characters * 3;

/** Reads a policy file whole. Throws BYLAW_POLICY_MISSING or BYLAW_POLICY_UNREADABLE. */
export function readPolicy(path: string): string {
  const source = { file: path };
  const unreadable = (message: string, fix: string, cause?: unknown): never => {
    throw new BylawError({ code: "BYLAW_POLICY_UNREADABLE", message, fix, source, cause });
  };
  const refuseIrregular = (stat: Stats): void => {
    if (stat.isDirectory()) unreadable(`Unexpected folder \`${path}\`, expected a policy file`, "name the file in it");
    if (!stat.isFile()) unreadable(`Unexpected device or pipe \`${path}\`, expected a policy file`, "name a regular file");
  };
  let handle = -1;
  try {
    // Opening a pipe waits for its writer, so what it is comes first; it may be exchanged in between, so it is asked again.
    refuseIrregular(statSync(path));
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(handle);
    refuseIrregular(stat);
    if (stat.size > MAX_BYTES) {
      unreadable(
        `Unexpected policy file \`${path}\` of ${stat.size} bytes, expected at most ${MAX_BYTES}`,
        "split the policy into several files",
      );
    }
    const bytes = Buffer.alloc(stat.size + 1);
    let length = 0;
    for (;;) {
      const count = readSync(handle, bytes, length, bytes.length - length, null);
      length += count;
      if (count === 0) break;
      if (length > stat.size) unreadable(`Unexpected growth of \`${path}\` while it was read, expected a file at rest`, "try again");
    }
    return decode(path, bytes.subarray(0, length), unreadable);
  } catch (error) {
    if (error instanceof BylawError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new BylawError({
        code: "BYLAW_POLICY_MISSING",
        message: `Unexpected absence of \`${path}\`, expected a policy file`,
        fix: "create the file, or name another in the option `files`",
        source,
        cause: error,
      });
    }
    return unreadable(
      `Unexpected failure to read \`${path}\` (${code ?? "unknown"}), expected a readable policy file`,
      "check the permissions of the file",
      error,
    );
  } finally {
    if (handle >= 0) closeSync(handle);
  }
}

function decode(path: string, bytes: Uint8Array, unreadable: (message: string, fix: string) => never): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const at = firstBadByte(bytes);
    const line = bytes.subarray(0, at).filter((byte) => byte === 10).length + 1;
    return unreadable(`Unexpected bytes in line ${line} of \`${path}\`, expected UTF-8`, "save the file as UTF-8");
  }
  // Parsers disagree about a second one: to some it is a blank, to others a character of the text.
  if (text.startsWith("\ufeff\ufeff")) {
    unreadable(`Unexpected second byte order mark in \`${path}\`, expected one at most`, "save the file without it");
  }
  return text;
}

function firstBadByte(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // `stream` forgives a character that is cut off at the end.
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle + 1), { stream: true });
      low = middle + 1;
    } catch {
      high = middle;
    }
  }
  return low;
}
