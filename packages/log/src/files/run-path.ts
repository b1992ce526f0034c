import { createHash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";

/** Longest name of a run in a path, so that a suffix still fits into the 255 bytes of a file name. */
const LONGEST = 120;
const KEPT = 48;
const PLAIN = /^[a-z0-9_-]$/;
// Names that Windows keeps for devices, whatever their extension.
const DEVICE = /^(?:con|prn|aux|nul|conin|conout|com\d|lpt\d)$/;

/**
 * The name of a run as one part of a path: lower-case letters, digits, `-` and `_` stand for themselves, every other byte of
 * its UTF-8 is `%` and two digits. So it never leaves its folder, and two runs never share a file, not even where upper and
 * lower case are one. What is too long, empty or no text is cut, and told apart by its SHA-256.
 */
export function runFileName(run: string): string {
  const bytes = Buffer.from(run, "utf8");
  const parts = Array.from(bytes, (byte, index) => {
    const char = String.fromCharCode(byte);
    return PLAIN.test(char) && !(index === 0 && DEVICE.test(run))
      ? char
      : `%${byte.toString(16).padStart(2, "0")}`;
  });
  const name = parts.join("");
  if (name !== "" && name.length <= LONGEST && run.isWellFormed()) return name;
  let beginning = "";
  for (const part of parts) {
    if (beginning.length + part.length > KEPT) break;
    beginning += part;
  }
  // Over UTF-16: UTF-8 has one form for all halves of characters.
  const digest = createHash("sha256").update(Buffer.from(run, "utf16le")).digest("hex");
  return `${beginning}~${digest}`;
}

/** The absolute path of a file of a run: `{run}` stands for its name. `folder`: what a relative template stands against. */
export function runPath(template: string, run: string, folder: string): string {
  const path = template.replaceAll("{run}", runFileName(run));
  return isAbsolute(path) ? resolve(path) : resolve(folder, path);
}

/** What a template of {@link runPath} says that cannot be the path of a file, if anything. */
export function pathTemplateFault(template: string): string | undefined {
  if (template.includes("\0")) return "a path with a NUL byte";
  const rest = template.replaceAll("{run}", "");
  if (/[{}]/.test(rest)) return "a placeholder other than `{run}`";
  return /(?:^|[\\/])\.{0,2}$/.test(template) ? "the path of a folder" : undefined;
}
