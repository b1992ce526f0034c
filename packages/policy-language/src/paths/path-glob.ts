import { foldName } from "./fold-name.ts";
import { PatternError, quote } from "../load/finding.ts";
import { compileGlob, expand, type Glob } from "../match/glob.ts";

/** The folders that path globs are relative to. */
export const BASES = ["root", "home", "workspace"] as const;
export type Base = (typeof BASES)[number];

/** A compiled path glob, which matches an absolute path split into segments. */
export interface PathGlob {
  readonly base: Base;
  /** The literal segments that every match starts with, below the base. */
  readonly lead: readonly string[];
  readonly segments: readonly PathSegment[];
  /** For a deny or an ask: the glob for folded paths, which is this object if folding changes nothing. */
  readonly folded: PathGlob | undefined;
  /** `segments` are the segments below the base. */
  matches(segments: readonly string[]): boolean;
  /** Whether the glob ends in a segment that matches any name and matches everything in this folder. */
  matchesAbove(segments: readonly string[]): boolean;
}

/** Matches any number of segments. */
export const ANY = "**";
export type PathSegment = Glob | typeof ANY;

/**
 * Compiles `paths`. `*` and `?` stay inside one segment and match dot files; `**` matches any number of segments, even none.
 * Matching is quadratic at worst. `fold`: also matches folded paths, see {@link foldName}. Throws {@link PatternError}.
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
      'Write a separate rule: a deny of what "allow" must not cover',
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

// Check the last name first, because most paths differ from a glob there.
function matchesPath(pattern: readonly PathSegment[], path: readonly string[]): boolean {
  const last = pattern.at(-1);
  if (last !== undefined && last !== ANY) {
    const name = path.at(-1);
    if (name === undefined || !last.matches(name)) return false;
    if (pattern.length === 2 && pattern[0] === ANY) return true;
  }
  return matchSegments(pattern, path);
}

// Greedy like text globs, with segments as characters: after each `**`, the rest matches at its leftmost position.
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
