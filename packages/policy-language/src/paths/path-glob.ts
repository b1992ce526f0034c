import { foldName } from "./fold-name.ts";
import { PatternError, quote } from "../load/finding.ts";
import { compileGlob, expand, type Glob } from "../match/glob.ts";

/** What path globs are relative to. */
export const BASES = ["root", "home", "workspace"] as const;
export type Base = (typeof BASES)[number];

/** A compiled path glob over an absolute path in segments. */
export interface PathGlob {
  readonly base: Base;
  /** The segments that every match starts with, below the base. */
  readonly lead: readonly string[];
  readonly segments: readonly PathSegment[];
  /** Of a deny or an ask: the same for a folded path; the glob itself where folding changes nothing. */
  readonly folded: PathGlob | undefined;
  /** `segments` are those below the base. */
  matches(segments: readonly string[]): boolean;
  /** Whether it ends with a segment for any name and matches whatever lies in this folder. */
  matchesAbove(segments: readonly string[]): boolean;
}

/** Any number of segments. */
export const ANY = "**";
export type PathSegment = Glob | typeof ANY;

/**
 * Compiles `paths`: `*` and `?` stay inside one segment and match dot files, `**` is any number of segments, none included.
 * Matching is quadratic at worst. `fold`: it also matches folded paths, see {@link foldName}. Throws {@link PatternError}.
 */
export function compilePathGlobs(
  source: string,
  { fold = false }: { readonly fold?: boolean } = {},
): readonly PathGlob[] {
  check(source);
  return expand(source).map((pattern) => {
    const exact = compileOne(pattern, source);
    if (!fold) return exact;
    const name = foldName(pattern);
    exact.folded = name === pattern ? exact : compileOne(name, source);
    return exact;
  });
}

function check(source: string): void {
  if (source.startsWith("!")) {
    throw new PatternError(
      `${quote(source)} is a negation, which path globs do not have`,
      'Write a rule of its own: a deny of what "allow" must not cover',
    );
  }
  if (/[@?*+!]\(/.test(source) || (/[(]/.test(source) && source.includes("|"))) {
    throw new PatternError(
      `${quote(source)} is an extended glob. Path globs have \`*\`, \`?\`, \`**\`, classes and braces`,
      "Write the alternatives in braces, or as a list",
    );
  }
  if (source.includes("\\")) {
    throw new PatternError(
      `${quote(source)} has a backslash. Write \`/\` between the parts of a path`,
    );
  }
  if (/[\u0000-\u001f\u007f]/.test(source))
    throw new PatternError("The path glob has a control character");
  if (/^~[^/]/.test(source)) {
    throw new PatternError(
      `${quote(source)} names another user's home. Write \`~/…\` or an absolute path`,
    );
  }
}

type Unfolded = PathGlob & { folded: PathGlob | undefined };

function compileOne(pattern: string, source: string): Unfolded {
  const base: Base =
    pattern.startsWith("/") || pattern.startsWith(ANY)
      ? "root"
      : pattern.startsWith("~")
        ? "home"
        : "workspace";
  const rest =
    base === "root"
      ? pattern.replace(/^\//, "")
      : base === "home"
        ? pattern.slice(2)
        : pattern.replace(/^(\.\/)+/, "");
  const parts = rest === "" || rest === "." ? [] : rest.split("/");
  const segments: PathSegment[] = [];
  for (const part of parts) {
    if (part === "..") {
      throw new PatternError(`${quote(source)} has \`..\` in it`, "Write the absolute path");
    }
    if (part === "" || part === ".") {
      throw new PatternError(
        `${quote(source)} has an empty or \`.\` part between two slashes`,
        `For everything below a folder write \`${pattern.replace(/\/+$/, "")}/**\``,
      );
    }
    if (part === ANY) {
      if (segments.at(-1) !== ANY) segments.push(ANY);
    } else if (part.includes(ANY)) {
      throw new PatternError(
        `\`**\` in ${quote(source)} must stand alone between two slashes`,
        "Write `*` inside a segment, and `**` between two slashes",
      );
    } else segments.push(compileGlob(part));
  }
  const lead: string[] = [];
  for (const segment of segments) {
    if (segment === ANY || segment.literal === undefined) break;
    lead.push(segment.literal);
  }
  return {
    base,
    lead,
    segments,
    folded: undefined,
    matches: (path) => matchesPath(segments, path),
    matchesAbove: (path) => {
      const name = segments.at(-2);
      if (name === undefined || name === ANY || !/^\??\*$/.test(name.source)) return false;
      return matchesPath(segments.slice(0, -2), path);
    },
  };
}

// Most paths differ from a glob in the name that they end with.
function matchesPath(pattern: readonly PathSegment[], path: readonly string[]): boolean {
  const last = pattern.at(-1);
  if (last !== undefined && last !== ANY) {
    const name = path.at(-1);
    if (name === undefined || !last.matches(name)) return false;
    if (pattern.length === 2 && pattern[0] === ANY) return true;
  }
  return matchSegments(pattern, path);
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
