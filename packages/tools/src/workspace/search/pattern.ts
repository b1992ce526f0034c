import { RE2JS } from "re2js";
import { BylawError, messageOf } from "@bylaw/kernel";

/** Whether a text matches. The time grows linearly with the length of the text. */
export type Matches = (text: string) => boolean;

/** A regular expression, and its cost for each character compared with plain text. */
export interface Regex {
  readonly matches: Matches;
  readonly cost: number;
}

const MAX_PATTERN = 1_000;
// Repetitions are expanded, so a short pattern can become a large program.
const MAX_REPEATED = 2_000;
const MAX_COST = 5_000;
// The limit before compiling. The count here is a little higher than that of the compiled program.
const MAX_STEPS = 2 * MAX_COST;
// If case is ignored, each letter of a range is looked up: up to 125,000.
const MAX_RANGES = 10;
const RANGE = /-(?:[^\x00-\x7f]|\\[x0-7])/g;
// The tokens of RE2's parser: quoted text, an escape, a class, flags, a repetition, or a character.
const TOKEN =
  /\\Q((?:(?!\\E)[\s\S])*)(?:\\E)?|\\x\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]?|\(\?[a-zA-Z-]*\)|\{(\d+)(?:,(\d*))?\}|[\s\S]/gu;

/** Compiles an RE2 regular expression that may match anywhere in a text. Throws BYLAW_PATTERN_INVALID. */
export function regexMatcher(
  pattern: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
): Regex {
  if (pattern.length > MAX_PATTERN) throw invalid(pattern, tooLong(pattern));
  if (!ignoreCase && /^[\w\s"'`,:;<>=!@#%&/~-]+$/.test(pattern))
    return { matches: (text) => text.includes(pattern), cost: 1 };
  const steps = stepsOf(pattern);
  if (steps > MAX_STEPS)
    throw invalid(pattern, `has ${steps} steps; at most ${MAX_STEPS} are allowed`);
  const ranges = ignoreCase || pattern.includes("(?") ? (pattern.match(RANGE) ?? []).length : 0;
  if (ranges > MAX_RANGES)
    throw invalid(pattern, `has ${ranges} ranges; at most ${MAX_RANGES} are allowed`);
  const compiled = compile(pattern, pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const cost = Math.max(10, compiled.programSize());
  if (cost > MAX_COST) throw invalid(pattern, "is too much work; use fewer repetitions");
  return { matches: (text) => compiled.test(text), cost };
}

/**
 * Compiles a glob for paths: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of folders. It also matches names that begin with a dot.
 * Throws BYLAW_PATTERN_INVALID for a glob that leaves the folder, and for extended globs.
 */
export function globMatcher(glob: string): Matches {
  if (glob.length > MAX_PATTERN) throw invalid(glob, tooLong(glob));
  const names = glob.split("/");
  if (glob.startsWith("/") || names.includes(".."))
    throw invalid(glob, "leaves the folder that is searched");
  if (/[@!+*?]\(/.test(glob) || glob.startsWith("!") || glob.includes("\\"))
    throw invalid(
      glob,
      "uses extended syntax; only `*`, `?`, `[a-z]`, `{a,b}` and `**` are understood",
    );
  const compiled = compile(
    regexOf(names.filter((name) => name !== "" && name !== ".").join("/")),
    glob,
    RE2JS.DOTALL,
  );
  return (text) => compiled.testExact(text);
}

function compile(source: string, shown: string, flags: number): RE2JS {
  const counts = Array.from(shown.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g), ([, least, most]) =>
    Math.max(Number(least), Number(most ?? 0)),
  );
  const repeated = counts.reduce((sum, count) => sum + count, 0);
  if (repeated > MAX_REPEATED)
    throw invalid(shown, `has ${repeated} repetitions; at most ${MAX_REPEATED} are allowed`);
  try {
    return RE2JS.compile(source, flags);
  } catch (cause) {
    throw invalid(
      shown,
      `is not a regular expression of RE2: ${messageOf(cause)}`,
      "Write it without look-around and back-references",
    );
  }
}

// Estimates the length of the compiled program without compiling. Repeated parts count each time.
function stepsOf(pattern: string): number {
  const around: number[] = [];
  let [all, last] = [0, 0];
  for (const [token, quoted, least, most] of pattern.matchAll(TOKEN)) {
    if (token === "(") {
      around.push(all);
      all = 0;
    } else if (token === ")") {
      last = all + 2;
      all = (around.pop() ?? 0) + last;
    } else if (/^[*+?]$/.test(token)) {
      all += 1;
      last += 1;
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1);
      all += last * (times - 1) + times;
      last *= times;
      // Quoted text without a character and flags do not count: a repetition applies to what is before them.
    } else if (quoted !== "" && !token.startsWith("(?")) {
      all += quoted?.length ?? 1;
      last = 1;
    }
  }
  return all;
}

function regexOf(glob: string): string {
  let source = "";
  for (let at = 0; at < glob.length;) {
    const [text, width] = tokenAt(glob, at);
    source += text;
    at += width;
  }
  return source;
}

function tokenAt(glob: string, at: number): readonly [source: string, width: number] {
  const starts = at === 0 || /[/{,]/.test(glob[at - 1] ?? "");
  const [stars = ""] = /^\*+/.exec(glob.slice(at)) ?? [];
  const after = glob[at + stars.length];
  if (stars.length > 1 && starts && after === "/") return ["(?:[^/]+/)*", stars.length + 1];
  if (stars.length > 1 && starts && after === undefined) return [".+", stars.length];
  const whole = starts && (after === undefined || after === "/");
  if (stars !== "") return [whole ? "[^/]+" : "[^/]*", stars.length];
  const char = glob[at] ?? "";
  if (char === "?") return ["[^/]", 1];
  if (char === "[") {
    const [match, not, set] = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(glob.slice(at)) ?? [];
    if (match !== undefined && set !== "")
      return [
        `[${not === "" ? "" : "^/"}${(set ?? "").replace(/[[\]&~]/g, "\\$&")}]`,
        match.length,
      ];
  }
  if (char === "{") {
    const end = closing(glob, at);
    const inner = end === undefined ? [] : alternatives(glob.slice(at + 1, end));
    if (end !== undefined && inner.length > 1)
      return [`(?:${inner.map(regexOf).join("|")})`, end + 1 - at];
  }
  return [RE2JS.quote(char), 1];
}

// The index of the closing brace. Undefined if it is missing.
function closing(glob: string, at: number): number | undefined {
  let depth = 0;
  for (let here = at; here < glob.length; here += 1) {
    if (glob[here] === "{") depth += 1;
    if (glob[here] === "}" && --depth === 0) return here;
  }
  return undefined;
}

function alternatives(text: string): readonly string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "{") depth += 1;
    if (char === "}") depth -= 1;
    if (char === "," && depth === 0) parts.push("");
    else parts.push((parts.pop() ?? "") + char);
  }
  return parts;
}

const tooLong = ({ length }: string): string =>
  `has ${length} characters; at most ${MAX_PATTERN} are allowed`;

const invalid = (pattern: string, what: string, fix?: string): BylawError =>
  new BylawError({
    code: "BYLAW_PATTERN_INVALID",
    message: `The pattern \`${pattern.slice(0, 80)}\` ${what}`,
    fix,
  });
