import type { Effect } from "@bylaw/kernel";
import { PatternError } from "../load/finding.ts";
import { compilePathGlobs } from "../paths/path-glob.ts";
import type { Candidate } from "./draft.ts";
import type { ImportInput } from "./finding.ts";

/** The tools of Claude Code that an `Edit` rule covers. */
export const EDITORS = "Edit|MultiEdit|Write|NotebookEdit";

/** The tools of Claude Code that a `Read` rule covers. */
export const READERS = "Read|Grep|Glob|LS|NotebookRead";

/**
 * Translates `Read(…)` or `Edit(…)`, whose pattern has the syntax of gitignore and one of four roots. Returns
 * candidates, or the reason why there are none.
 */
export function pathCandidates(
  kind: "read" | "edit",
  pattern: string,
  effect: Effect,
  scope: NonNullable<ImportInput["scope"]>,
): readonly Candidate[] | string {
  if (pattern.startsWith("!"))
    return "a pattern that begins with `!` makes an exception to another pattern, which a policy cannot express";
  const allow = effect === "allow";
  // gitignore reads braces literally, and globs here cannot contain them. A deny may use `?` instead, but for an
  // allow that is too broad.
  if (allow && /[{}]/.test(pattern))
    return "Claude Code reads braces literally, and a glob of a policy cannot contain them";
  const above = /^(?:\.\/)*(?:\.\.\/)+/.exec(pattern)?.[0];
  if (above !== undefined && !allow) {
    const candidates = pathCandidates(kind, `//**/${pattern.slice(above.length)}`, effect, scope);
    const note =
      "no glob of a policy can name a folder above the project, so the rule holds wherever the rest of the path occurs";
    return typeof candidates === "string"
      ? candidates
      : candidates.map((candidate) => ({ note, ...candidate }));
  }
  const globs = globsOf(pattern.replaceAll(/[{}]/g, "?"), effect, scope);
  const exact = globs.filter(isGlob);
  if (allow) {
    if (exact.length < globs.length) return "the path cannot be written as a glob";
    return kind === "read"
      ? [{ keys: { tool: READERS, paths: { read: exact } } }]
      : [{ keys: { tool: EDITORS, paths: { write: exact } } }];
  }
  // A deny of reading also denies writing, because the tools read a file before they replace it.
  const keys = (list: readonly string[]): Candidate["keys"] => ({
    paths: kind === "read" ? list : { write: list },
  });
  if (exact.length === globs.length) return [{ keys: keys(exact) }];
  const wider = [...new Set(globs.map((glob) => (isGlob(glob) ? glob : widened(glob))))];
  return [
    {
      keys: keys(wider),
      note: `the path cannot be written as a glob, so the rule holds for \`${wider.join("`, `")}\``,
    },
  ];
}

/** Translates a folder of `additionalDirectories`: its files may be read. Empty if no glob can name the folder. */
export function folderCandidates(folder: string): readonly Candidate[] {
  const clean = folder.replace(/\/+$/, "").replace(/^(?:\.\/)+/, "");
  const glob = `${clean}/**`;
  if (clean === "" || /[*?[\]{}!\\]/.test(clean) || !isGlob(glob)) return [];
  return [{ keys: { tool: READERS, paths: { read: [glob] } } }];
}

function isGlob(glob: string): boolean {
  try {
    compilePathGlobs(glob);
    return true;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

function globsOf(
  pattern: string,
  effect: Effect,
  scope: NonNullable<ImportInput["scope"]>,
): readonly string[] {
  const allow = effect === "allow";
  const rooted = (prefix: string, rest: string): readonly string[] => withBelow(prefix, rest);
  if (pattern.startsWith("//")) return rooted("/", pattern.slice(2));
  if (pattern.startsWith("~/")) return rooted("~/", pattern.slice(2));
  if (pattern.startsWith("/")) {
    const rest = pattern.slice(1);
    if (scope === "project") return rooted("./", rest);
    // Older versions resolve it from the project, newer ones from the folder of the settings. A deny holds in both.
    return allow
      ? rooted("~/.claude/", rest)
      : [...rooted("~/.claude/", rest), ...rooted("./", rest)];
  }
  const rest = pattern.replace(/^(?:\.\/)+/, "");
  // As in a .gitignore, a name without a slash matches at any depth.
  const anywhere = rest === pattern && !rest.replace(/\/+$/, "").includes("/");
  if (!anywhere) return rooted("./", rest);
  return allow ? rooted("./**/", rest) : rooted("**/", rest);
}

// A name matches a file, or a folder and everything below it.
function withBelow(prefix: string, rest: string): readonly string[] {
  const path = rest.replace(/\/+$/, "");
  if (path === "" || path === "**" || path === "*") return [`${prefix}**`];
  const text = `${prefix}${path}`.replaceAll(/(^|\/)(?:\*\*\/)+/g, "$1**/").replaceAll("[^", "[!");
  // A relative glob needs no `./`, unless it begins with a character that has another meaning there.
  const glob = /^\.\/[^*/~]/.test(text) ? text.slice(2) : text;
  return path.endsWith("/**") ? [glob] : [glob, `${glob}/**`];
}

function widened(glob: string): string {
  const parts = glob.split("/");
  const bad = parts.findIndex((_, at) => !isGlob(parts.slice(0, at + 1).join("/") || "/"));
  const kept = parts.slice(0, bad < 0 ? 0 : bad).join("/");
  const found = kept === "" ? (glob.startsWith("/") ? "/**" : "**") : `${kept}/**`;
  return isGlob(found) ? found : "**";
}
