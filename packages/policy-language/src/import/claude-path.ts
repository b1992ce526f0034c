import type { Effect } from "@bylaw/kernel";
import { PatternError } from "../load/finding.ts";
import { compilePathGlobs } from "../paths/path-glob.ts";
import type { Candidate } from "./draft.ts";
import type { ImportInput } from "./finding.ts";

/** Claude Code's tools that an `Edit` rule is about. */
export const EDITORS = "Edit|MultiEdit|Write|NotebookEdit";

/** Claude Code's tools that a `Read` rule is about. */
export const READERS = "Read|Grep|Glob|LS|NotebookRead";

/** The ways to carry over `Read(…)` or `Edit(…)`, whose text follows gitignore from one of four roots. */
export function pathCandidates(
  kind: "read" | "edit",
  pattern: string,
  effect: Effect,
  scope: NonNullable<ImportInput["scope"]>,
): readonly Candidate[] | string {
  if (pattern.startsWith("!"))
    return "a pattern that begins with `!` takes back another, and a policy has no such rule";
  const allow = effect === "allow";
  // Braces are letters to gitignore. No glob here has them, and any one character is too much for an allow only.
  if (allow && /[{}]/.test(pattern))
    return "braces are plain letters to Claude Code, and no glob here has them";
  const above = /^(?:\.\/)*(?:\.\.\/)+/.exec(pattern)?.[0];
  if (above !== undefined && !allow) {
    const candidates = pathCandidates(kind, `//**/${pattern.slice(above.length)}`, effect, scope);
    const note =
      "a folder above the project has no glob here, so it holds wherever the rest of the path is found";
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
  // Who may not read a file may not replace it either: the tools read before they write.
  const keys = (list: readonly string[]): Candidate["keys"] => ({
    paths: kind === "read" ? list : { write: list },
  });
  if (exact.length === globs.length) return [{ keys: keys(exact) }];
  const wider = [...new Set(globs.map((glob) => (isGlob(glob) ? glob : widened(glob))))];
  return [
    {
      keys: keys(wider),
      note: `the path cannot be written as a glob, so it holds for \`${wider.join("`, `")}\``,
    },
  ];
}

/** The ways to carry over a folder of `additionalDirectories`: its files may be read. */
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
    // Older versions read it from the project, newer ones from the folder of the settings: a deny holds in both.
    return allow
      ? rooted("~/.claude/", rest)
      : [...rooted("~/.claude/", rest), ...rooted("./", rest)];
  }
  const rest = pattern.replace(/^(?:\.\/)+/, "");
  // As in a .gitignore, a name without a folder is meant at any depth.
  const anywhere = rest === pattern && !rest.replace(/\/+$/, "").includes("/");
  if (!anywhere) return rooted("./", rest);
  return allow ? rooted("./**/", rest) : rooted("**/", rest);
}

// A name stands for the file, or for the folder and all below it.
function withBelow(prefix: string, rest: string): readonly string[] {
  const path = rest.replace(/\/+$/, "");
  if (path === "" || path === "**" || path === "*") return [`${prefix}**`];
  const text = `${prefix}${path}`.replaceAll(/(^|\/)(?:\*\*\/)+/g, "$1**/").replaceAll("[^", "[!");
  // A relative glob needs no mark, unless it would begin like another kind.
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
