import { createHash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";

/** The most characters of a run's name in a path, so that a suffix still fits into the 255 bytes of a file name. */
const MAX_LENGTH = 120;
const KEPT = 48;
const PLAIN = /^[a-z0-9_-]$/;
// Names that Windows reserves for devices, with any extension.
const DEVICE = /^(?:con|prn|aux|nul|conin|conout|com\d|lpt\d)$/;

/**
 * The name of a run as one part of a path. Lower-case letters, digits, `-` and `_` stay as they are; every other byte of its UTF-8 becomes
 * `%` and two digits. So it never leaves its folder, and no two runs share a file, even where case is ignored. A name that is too long,
 * empty or not well-formed Unicode is shortened and ends in its SHA-256.
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
  if (name !== "" && name.length <= MAX_LENGTH && run.isWellFormed()) return name;
  let beginning = "";
  for (const part of parts) {
    if (beginning.length + part.length > KEPT) break;
    beginning += part;
  }
  // Over UTF-16, because UTF-8 turns every lone surrogate into the same character.
  const digest = createHash("sha256").update(Buffer.from(run, "utf16le")).digest("hex");
  return `${beginning}~${digest}`;
}

/**
 * The absolute path of a run's file. `{run}` in the template stands for its name. `folder`: the folder that a relative template is resolved
 * against.
 */
export function runPath(template: string, run: string, folder: string): string {
  const path = template.replaceAll("{run}", runFileName(run));
  return isAbsolute(path) ? resolve(path) : resolve(folder, path);
}

/** An option that is a template of {@link runPath}: the path of a file. */
export const pathTemplate = z.string().superRefine((text, context) => {
  const fault = pathTemplateFault(text);
  if (fault !== undefined) context.addIssue(`must be the path of a file, not ${fault}`);
});

function pathTemplateFault(template: string): string | undefined {
  if (template.includes("\0")) return "a path with a NUL byte";
  const rest = template.replaceAll("{run}", "");
  if (/[{}]/.test(rest)) return "a placeholder other than `{run}`";
  return /(?:^|[\\/])\.{0,2}$/.test(template) ? "the path of a folder" : undefined;
}
