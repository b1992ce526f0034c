import { foldName } from "./fold.ts";
import { PatternError, quote } from "./finding.ts";
import { compileGlob, expand, type Glob } from "./glob.ts";

/** What a path glob is relative to. */
type Base = "root" | "home" | "workspace";

/** A compiled path glob over an absolute path in segments. */
export interface PathGlob {
  readonly base: Base;
  /** The segments that every match starts with, below the base. */
  readonly lead: readonly string[];
  readonly segments: readonly PathSegment[];
  /** Of a deny or an ask: the same for a folded path. */
  readonly folded: PathGlob | undefined;
  /** `segments` are those below the base. */
  matches(segments: readonly string[]): boolean;
}

/** Any number of segments. */
export const ANY = "**";
export type PathSegment = Glob | typeof ANY;

/**
 * Compiles `paths`: `*` and `?` stay inside one segment and match dot files, `**` is any number of segments, none included.
 * Matching is quadratic at worst. `fold`: it also matches folded paths, see {@link foldName}. Throws {@link PatternError}.
 */
export function compilePathGlobs(source: string, { fold = false }: { readonly fold?: boolean } = {}): readonly PathGlob[] {
  check(source);
  return expand(source).map((pattern) => ({
    ...compileOne(pattern, source),
    folded: fold ? compileOne(foldName(pattern), source) : undefined,
  }));
}

function check(source: string): void {
  if (source.startsWith("!")) {
    throw new PatternError(
      `Unexpected negation in ${quote(source)}, expected a path glob`,
      'write a rule of its own: a deny of what "allow" must not cover',
    );
  }
  if (/[@?*+!]\(/.test(source) || (/[(]/.test(source) && source.includes("|"))) {
    throw new PatternError(
      `Unexpected extended glob in ${quote(source)}, expected \`*\`, \`?\`, \`**\`, classes and braces`,
      "write the alternatives in braces, or as a list",
    );
  }
  if (source.includes("\\")) {
    throw new PatternError(`Unexpected backslash in ${quote(source)}, expected \`/\` between segments`);
  }
  if (/[\u0000-\u001f\u007f]/.test(source)) throw new PatternError("Unexpected control character in a path glob");
  if (/^~[^/]/.test(source)) {
    throw new PatternError(`Unexpected ${quote(source)}, expected \`~/…\` or an absolute path`);
  }
}

function compileOne(pattern: string, source: string): PathGlob {
  const base: Base = pattern.startsWith("/") || pattern.startsWith(ANY) ? "root" : pattern.startsWith("~") ? "home" : "workspace";
  const rest = base === "root" ? pattern.replace(/^\//, "") : base === "home" ? pattern.slice(2) : pattern.replace(/^(\.\/)+/, "");
  const parts = rest === "" || rest === "." ? [] : rest.split("/");
  const segments: PathSegment[] = [];
  for (const part of parts) {
    if (part === "..") {
      throw new PatternError(`Unexpected \`..\` in ${quote(source)}, expected a path without it`, "write the absolute path");
    }
    if (part === "" || part === ".") {
      throw new PatternError(
        `Unexpected empty or \`.\` segment in ${quote(source)}, expected one name between two slashes`,
        `for everything below a folder write \`${pattern.replace(/\/+$/, "")}/**\``,
      );
    }
    if (part === ANY) {
      if (segments.at(-1) !== ANY) segments.push(ANY);
    } else if (part.includes(ANY)) {
      throw new PatternError(
        `Unexpected \`**\` beside other text in ${quote(source)}, expected a segment of its own`,
        "write `*` inside a segment, and `**` between two slashes",
      );
    } else segments.push(compileGlob(part));
  }
  const lead: string[] = [];
  for (const segment of segments) {
    if (segment === ANY || segment.literal === undefined) break;
    lead.push(segment.literal);
  }
  return { base, lead, segments, folded: undefined, matches: (path) => matchSegments(segments, path) };
}

// The same greedy idea as for text, with segments for characters: after each `**` the rest takes its leftmost place.
function matchSegments(pattern: readonly PathSegment[], path: readonly string[]): boolean {
  let p = 0;
  let s = 0;
  let star = -1;
  let mark = 0;
  while (s < path.length) {
    const segment = pattern[p];
    const text = path[s] ?? "";
    if (segment === ANY) {
      star = p++;
      mark = s;
    } else if (segment !== undefined && segment.matches(text)) {
      p++;
      s++;
    } else if (star >= 0) {
      p = star + 1;
      s = ++mark;
    } else return false;
  }
  while (pattern[p] === ANY) p++;
  return p === pattern.length;
}
