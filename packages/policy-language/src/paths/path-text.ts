import type { Json, ToolCall } from "@bylaw/kernel";

const MAX_PATH = 4096;

/** Why a text cannot be read as a path. Undefined if it can. */
export function unknownPath(
  text: Json | undefined,
  call: Pick<ToolCall, "cwd" | "home">,
): string | undefined {
  if (typeof text !== "string") return "a path that is not text";
  if (text === "") return "an empty path";
  if (text.length > MAX_PATH) return `a path of more than ${MAX_PATH} characters`;
  if (/[\u0000-\u001f\u007f]/.test(text)) return "a control character in a path";
  if (text.includes("\\")) return "a backslash in a path";
  if (/\$[A-Z_{(]|`/.test(text)) return "a variable in a path";
  if (/^~[^/]/.test(text)) return "the home of another user";
  if (text.startsWith("~") && call.home === undefined) return "a path in an unknown home";
  if (!/^[/~]/.test(text) && call.cwd === undefined)
    return "a relative path without a working directory";
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return "a URL for a path";
  return undefined;
}

/** The absolute form of a path that is not unknown. Keeps `..`. */
export function absolutePath(text: string, call: Pick<ToolCall, "cwd" | "home">): string {
  if (text.startsWith("/")) return text;
  if (text.startsWith("~")) return `${call.home ?? ""}${text.slice(1)}`;
  return `${call.cwd ?? ""}/${text}`;
}

/** Splits an absolute path into segments, without `.`, `..` and empty segments. */
export function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") segments.pop();
    else if (part !== "" && part !== ".") segments.push(part);
  }
  return segments;
}

/** Whether a text names the working directory of a call. */
export function sameFolder(text: Json, call: Pick<ToolCall, "cwd" | "home">): boolean {
  if (
    typeof text !== "string" ||
    call.cwd === undefined ||
    text.includes("..") ||
    unknownPath(text, call) !== undefined
  )
    return false;
  return segmentsOf(absolutePath(text, call)).join("/") === segmentsOf(call.cwd).join("/");
}

/** Characters that make `xargs` split a name or read it as an option. */
const SPLITS = /[\s'"\\:]|(?:^|\/)-/;

/** Whether `xargs` reads a path as one word, exactly as written, and no program takes it for a host. */
export const isPlainName = (text: string): boolean => !SPLITS.test(text);

/** Whether a name of a list stays one word and means itself. `expands`: a shell reads it as a glob. */
export const isOneWord = (name: string, expands: boolean): boolean =>
  isPlainName(name) && !(expands && /[*?[\]()]/.test(name));

/** Whether a program may read the path as something else than a file: a file of options, or a command. */
export const hasMeaning = (text: string): boolean => /^[@+]/.test(text);

/** Why a lax tool or another file system may read a path as a different name. */
export function otherName(text: string): string | undefined {
  if (/^(?:file:|[a-z][a-z\d+.-]+:\/)/i.test(text)) return "a URL for a path";
  if (/^[a-z]:[/]/i.test(text)) return "a drive letter in a path";
  if (text.trim() !== text) return "a path with a space around it";
  if (SHORT_NAME.test(text)) return "a short name of Windows in a path";
  if (!/[^\u0000-\u007f]/.test(text)) return undefined;
  const plain = text.normalize("NFKC");
  const climbs = (path: string): number =>
    path.split(/[/\\]/).filter((part) => /^\.\.?$/.test(part)).length;
  const parts = (path: string): number => path.split(/[/\\]/).length;
  return climbs(plain) !== climbs(text) || parts(plain) !== parts(text)
    ? "a path with look-alikes of dots or slashes"
    : undefined;
}

// `GIT~1` may be `.git`, and `CLAUDE~1` may be `.claude`.
const SHORT_NAME = /(?:^|[/\\])[^/\\.~]{1,6}~\d{1,4}(?:\.[^/\\.]{0,3})?(?:[/\\]|$)/;
