import type { PathText, Word } from "../analysis.ts";
import { prefix } from "./word-text.ts";

const UNKNOWN: PathText = { why: "a path known only at run time" };

/** The path of a file or folder that `mktemp` makes. */
export const NEW_FILE = "/tmp/tmp.XXXXXXXXXX";

// Folders of the system. Few lines make folders of these names in a new folder.
const SYSTEM =
  /^\/+(?:bin|boot|dev|etc|home|lib\w*|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|workspaces?|Applications|Library|System|Users|Volumes|private)(?:\/|$)/i;
const ENDING =
  /^\.(?:bak|csv|diff|html|js|json|log|md|out|patch|py|sh|sql|tar|tgz|ts|txt|xml|ya?ml|zip)$/;

/** Whether a path would lead somewhere else if `mktemp` failed and printed nothing. */
export function mayLeadElsewhere(text: string): boolean {
  const at = text.indexOf(NEW_FILE);
  if (at < 0) return false;
  const rest = text.slice(at + NEW_FILE.length);
  return (
    at > 0 ||
    !/^(?:\/|$)/.test(ENDING.test(rest) ? "" : rest) ||
    SYSTEM.test(rest) ||
    /(?:^|\/)\.\.(?:\/|$)/.test(rest)
  );
}

/** The path that a word names, relative to `base` if the program changes directory first. */
export function pathOf(word: Word, base?: PathText): PathText {
  const path = plainPath(word);
  // The shell looks for the names of a glob before the program changes directory.
  if (base !== undefined) return below(base, path);
  const { globbed, splits, namesOf } = word;
  if (path.text === undefined || (globbed ?? namesOf) === undefined) return path;
  return {
    ...path,
    ...(globbed === undefined ? {} : { globbed }),
    ...(splits === undefined ? {} : { splits }),
    ...(namesOf === undefined ? {} : { namesOf }),
  };
}

function plainPath(word: Word): PathText {
  if (word.text !== undefined) return mayLeadElsewhere(word.text) ? UNKNOWN : { text: word.text };
  if (word.here === true) return pathHere(word);
  let pattern = "";
  let folder: string | undefined;
  for (const [at, piece] of word.pieces.entries()) {
    if (typeof piece === "string") {
      pattern += piece.replace(/[\\*?[\]{}()!]/g, "\\$&");
      continue;
    }
    if (piece.hole === "any") return UNKNOWN;
    folder ??= pattern;
    if (piece.deep === true) pattern += "**";
    else if (at === 0 || typeof word.pieces[at - 1] === "string") pattern += "*";
  }
  // `..` after a glob could leave the directory.
  if (folder === undefined || /(^|\/)\.\.(\/|$)/.test(pattern.slice(folder.length))) return UNKNOWN;
  const literal = prefix(word);
  const slash = literal.lastIndexOf("/");
  return { text: slash < 0 ? "." : slash === 0 ? "/" : literal.slice(0, slash), pattern };
}

// Returns a path below `~+`.
function pathHere({ pieces: [, rest, ...more] }: Word): PathText {
  if (rest === undefined) return { text: "." };
  return typeof rest === "string" && more.length === 0 ? { text: `.${rest}` } : UNKNOWN;
}

/** A path relative to a directory. */
export function below(base: PathText, path: PathText): PathText {
  if (path.text === undefined || path.text.startsWith("/") || path.text.startsWith("~"))
    return path;
  if (base.text === undefined || base.pattern !== undefined) return UNKNOWN;
  if (base.text === "" || base.text === ".") return path;
  const text = path.text === "." ? base.text : `${base.text}/${path.text}`;
  const { pattern, namesOf } = path;
  if (pattern === undefined) return { text };
  return {
    ...path,
    text,
    pattern: `${base.text}/${pattern}`,
    ...(namesOf === undefined ? {} : { namesOf: `${base.text}/${namesOf}` }),
  };
}

/** The files of this name, which may be a glob, at any depth below a folder. */
export function namedBelow(folder: string, name: string): PathText {
  const text = folder.replace(/(?!^)\/+$/, "");
  const lead =
    text === "." ? "" : text === "/" ? "/" : `${text.replace(/[\\*?[\]{}()!]/g, "\\$&")}/`;
  return { text, pattern: `${lead}**/${name}` };
}
