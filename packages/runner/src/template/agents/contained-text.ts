import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { readTemplateText } from "../source.ts";

const LIMIT = 1024 * 1024;

/**
 * The text of a file of agents. Agents write to such folders, so links must not lead out of
 * `roots`, if there are any. Throws BYLAW_TEMPLATE_UNREADABLE.
 */
export function containedText(file: string, roots: readonly string[]): string {
  const refuse = (message: string, fix: string): BylawError =>
    new BylawError({ code: "BYLAW_TEMPLATE_UNREADABLE", message, fix, source: { file } });
  const real = realPath(file);
  if (real === undefined)
    throw refuse(`File not found: ${relative(process.cwd(), file)}`, "Check the path");
  if (roots.length > 0 && !roots.some((root) => isBelow(real, root)))
    throw refuse("The file lies outside the project", "Copy it into the project");
  const text = readTemplateText(real, LIMIT);
  if (text.includes("\0")) throw refuse("The file contains a NUL", "Save it as text");
  return text.replace(/^\ufeff/, "");
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function isBelow(real: string, root: string): boolean {
  const below = relative(realPath(root) ?? root, real);
  return below !== "" && !isAbsolute(below) && !/^\.\.(?:[\\/]|$)/.test(below);
}
