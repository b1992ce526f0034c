import type { RE2JS as Compiled } from "re2js";
import { loadRe2 } from "./lazy-modules.ts";
import { PatternError, quote } from "../load/finding.ts";
import { requiredTexts } from "./required-texts.ts";

/** A compiled regular expression. It must match the whole text, and takes linear time. */
export interface Regex {
  /** The text that every match starts with. */
  readonly prefix: string;
  /** Texts such that every match starts with one of them. */
  readonly prefixes: readonly string[];
  /** The text that every match ends with. */
  readonly suffix: string;
  readonly source: string;
  matches(text: string): boolean;
}

const MAX_PATTERN = 4096;
const MAX_STARTS = 256;

/** The options for compiling a regular expression. */
export interface RegexOptions {
  /** Whether `.` matches line breaks. A deny needs this, because a line break must not evade it. */
  readonly dotAll: boolean;
  /** Whether the expression was compiled before. Then the engine is loaded only when a text could match. */
  readonly checked?: boolean | undefined;
}

/** Compiles with the semantics of RE2: no look-around, no back-references. Throws {@link PatternError}. */
export function compileRegex(source: string, { dotAll, checked = false }: RegexOptions): Regex {
  if (source === "") throw new PatternError("The regular expression is empty");
  if (source.length > MAX_PATTERN) {
    throw new PatternError(
      `The regular expression has ${source.length} characters; the limit is ${MAX_PATTERN}`,
    );
  }
  let compiled = checked ? undefined : compile(source, dotAll);
  const { prefix, suffix } = literalEnds(source);
  const starts = prefix === "" ? literalStarts(source) : [prefix];
  const prefixes = starts.length > MAX_STARTS || starts.includes("") ? [""] : [...new Set(starts)];
  let required: ReturnType<typeof requiredTexts> | null = null;
  const mayHave = (text: string): boolean => {
    if (required === null) required = requiredTexts(source);
    return required?.some((texts) => texts.every((one) => text.includes(one))) ?? true;
  };
  const matches = (text: string): boolean =>
    prefixes.some((start) => text.startsWith(start)) &&
    text.endsWith(suffix) &&
    mayHave(text) &&
    (compiled ??= compile(source, dotAll)).testExact(text);
  return { prefix, prefixes, suffix, source, matches };
}

function compile(source: string, dotAll: boolean): Compiled {
  const { RE2JS } = loadRe2();
  try {
    return RE2JS.compile(source, dotAll ? RE2JS.DOTALL : 0);
  } catch (error) {
    const why =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    const perl = /\(\?[=!<]|invalid escape sequence: `\\[1-9]/.test(`${why} ${source}`);
    throw new PatternError(
      `${quote(source)} is not a regular expression of RE2: ${why.replace(/\s+/g, " ")}`,
      perl
        ? "Do not use look-around or back-references: they cannot run in linear time"
        : undefined,
    );
  }
}

/** The literal text that every match starts and ends with, as far as it is easy to see. */
export function literalEnds(source: string): { readonly prefix: string; readonly suffix: string } {
  // For alternatives, groups, flags and quoting, use the engine. An empty literal is always correct.
  if (/\||\(\?|\\[QE]/.test(source)) return { prefix: "", suffix: "" };
  const body = source.replace(/^\^/, "");
  let prefix = "";
  let at = 0;
  while (at < body.length) {
    const token = literalAt(body, at);
    if (token === undefined) break;
    const after = body[at + token.width] ?? "";
    if (after === "*" || after === "?" || after === "{") break;
    prefix += token.char;
    at += token.width;
    if (after === "+") break;
  }
  // A tail of letters, digits and a few marks without special meaning. The character before it may be quantified or
  // escaped, so the tail starts after it.
  const tail = /[A-Za-z0-9_/ -]*$/.exec(body)?.[0] ?? "";
  const before = body.slice(0, body.length - tail.length);
  const open =
    /[\\[{]/.test(before.slice(-1)) || /\[[^\]]*$/.test(before) || /\{[^}]*$/.test(before);
  const suffix = open ? "" : before.endsWith("\\") ? "" : tail;
  return { prefix, suffix: before === "" ? "" : suffix };
}

// The literal starts of the alternatives at the beginning, as in `(rm|git( .*)? clean)( .*)?`. An empty text for an
// alternative without a literal start.
function literalStarts(source: string): readonly string[] {
  if (/\(\?(?!:)|\\[QE]/.test(source)) return [""];
  const body = source.replace(/^\^/, "");
  const marks = marksOf(body);
  if (marks === undefined) return [""];
  if (marks.bars.length > 0) return split(body, marks.bars).flatMap(literalStarts);
  const group = body.search(/[(\\[]/);
  if (group !== 0) return [literalEnds(group < 0 ? body : body.slice(0, group)).prefix];
  if (!body.startsWith("(")) return [""];
  return /^[*?{]/.test(body.slice(marks.close + 1))
    ? [""]
    : literalStarts(body.slice(1, marks.close).replace(/^\?:/, ""));
}

function split(text: string, at: readonly number[]): readonly string[] {
  return [...at, text.length].map((end, index) =>
    text.slice(index === 0 ? 0 : (at[index - 1] ?? 0) + 1, end),
  );
}

// The positions of alternatives outside of all groups, and the end of the first group. Undefined if the groups are unbalanced.
function marksOf(
  text: string,
): { readonly bars: readonly number[]; readonly close: number } | undefined {
  const bars: number[] = [];
  let close = -1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "[") {
      const end = text.indexOf("]", at + (text[at + 1] === "^" ? 3 : 2));
      if (end < 0 || text.slice(at, end).includes("[:")) return undefined;
      if (text.slice(at, end).includes("\\")) return undefined;
      at = end;
    } else if (char === "(") depth++;
    else if (char === ")" && --depth === 0 && close < 0) close = at;
    else if (char === "|" && depth === 0) bars.push(at);
    if (depth < 0) return undefined;
  }
  return depth === 0 ? { bars, close } : undefined;
}

function literalAt(
  body: string,
  at: number,
): { readonly char: string; readonly width: number } | undefined {
  const char = body[at] ?? "";
  if (char === "\\") {
    const next = body[at + 1] ?? "";
    return /[^A-Za-z0-9\s]/.test(next) && next < "\u0080" ? { char: next, width: 2 } : undefined;
  }
  if (/[.*+?^$()[\]{}]/.test(char)) return undefined;
  // The engine treats a surrogate pair as one character, so its halves must stay together.
  const point = body.codePointAt(at) ?? 0;
  return point > 0xffff ? { char: body.slice(at, at + 2), width: 2 } : { char, width: 1 };
}
