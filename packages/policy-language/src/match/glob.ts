import { loadMicromatch } from "./lazy-modules.ts";
import { PatternError, quote } from "../load/finding.ts";

/** A compiled text glob. `*` matches any characters, `?` one code point, and `[a-z]` and `[!a-z]` are classes. */
export interface Glob {
  readonly source: string;
  /** The text that every match starts with. */
  readonly prefix: string;
  /** The text that every match ends with. */
  readonly suffix: string;
  /** The text of a glob that matches only one text. */
  readonly literal: string | undefined;
  /** Whether the glob matches every text. */
  readonly any: boolean;
  matches(text: string): boolean;
}

type Range = readonly [number, number];
type Token = string | "?"[] | { readonly not: boolean; readonly ranges: readonly Range[] };

const MAX_PATTERN = 4096;
const MAX_ALTERNATIVES = 1000;

/** A pattern without its backslashes and the characters that they escape. */
export const withoutEscapes = (pattern: string): string => pattern.replace(/\\[^]/g, "");

/**
 * Compiles one text glob without alternatives. Matching takes at most (length of the text × length of the pattern)
 * steps. Throws {@link PatternError}.
 */
export function compileGlob(source: string): Glob {
  if (source === "") throw new PatternError("The pattern is empty");
  // Most patterns are literal, and a policy may have hundreds.
  return build(source, /[*?[\\]/.test(source) ? parse(source, { caret: false }) : [[source]]);
}

/** Like {@link compileGlob}, but `[^…]` is a class that contains `^`, as in Radium, and not an error. */
export function compileCaretGlob(source: string): Glob {
  return build(source, parse(source, { caret: true }));
}

function build(source: string, runs: readonly (readonly Token[])[]): Glob {
  const first = runs[0] ?? [];
  const last = runs.at(-1) ?? [];
  const lead = first[0];
  const tail = last.at(-1);
  const prefix = typeof lead === "string" ? lead : "";
  const suffix = typeof tail === "string" ? tail : "";
  const literal =
    runs.length === 1 && first.every((token) => typeof token === "string")
      ? first.join("")
      : undefined;
  const any = runs.length > 1 && runs.every((run) => run.length === 0);
  const matches =
    literal !== undefined
      ? (text: string) => text === literal
      : any
        ? () => true
        : (text: string) =>
            text.startsWith(prefix) && text.endsWith(suffix) && matchRuns(runs, text);
  return { source, prefix, suffix, literal, any, matches };
}

/** Expands `{a,b}`, and optionally `a|b`, into globs without alternatives. Throws {@link PatternError}. */
export function expand(
  source: string,
  { pipes = false }: { readonly pipes?: boolean } = {},
): readonly string[] {
  if (source === "") throw new PatternError("The pattern is empty");
  if (source.length > MAX_PATTERN) {
    throw new PatternError(
      `The pattern has ${source.length} characters; the limit is ${MAX_PATTERN}`,
    );
  }
  const parts = pipes ? splitPipes(source) : [source];
  if (parts.includes("")) {
    throw new PatternError(
      `${quote(source)} has an empty alternative. Write text on both sides of \`|\``,
    );
  }
  const all = parts.flatMap((part) => braces(part));
  if (all.length > MAX_ALTERNATIVES) {
    throw new PatternError(
      `${quote(source)} has ${all.length} alternatives; the limit is ${MAX_ALTERNATIVES}`,
    );
  }
  if (all.includes("")) throw new PatternError(`${quote(source)} has an empty alternative`);
  if (all.some((one) => /[{}]/.test(withoutEscapes(one)))) {
    throw new PatternError(
      `${quote(source)} has an unmatched brace. Braces enclose alternatives, like \`{a,b}\``,
      "Write a backslash before a literal brace",
    );
  }
  return [...new Set(all)];
}

function braces(part: string): readonly string[] {
  if (!withoutEscapes(part).includes("{")) return [part];
  // micromatch removes escapes and quotes while it expands, so `{a,\*}` would become a wildcard.
  if (/[\\"'`$]/.test(part)) {
    throw new PatternError(
      `${quote(part)} mixes braces with a quote, dollar sign or backslash`,
      "Write the alternatives as a list of patterns",
    );
  }
  // Check the size before anything is expanded.
  const groups = part.split("{").length - 1;
  if (groups > 8 || /\.\./.test(part)) {
    throw new PatternError(
      `${quote(part)} has ${groups > 8 ? "too many braces" : "a range in braces"}`,
      "Write the alternatives as a list of patterns",
    );
  }
  let product = 1;
  for (const group of part.split("{").slice(1)) product *= group.split(",").length;
  if (product > MAX_ALTERNATIVES) {
    throw new PatternError(`${quote(part)} has more than ${MAX_ALTERNATIVES} alternatives`);
  }
  return PLAIN_BRACES.test(part)
    ? expandPlain(part)
    : loadMicromatch().braces(part, { expand: true });
}

// Simple groups of names. Nested, empty or single groups, and groups in a class, are left to micromatch.
const PLAIN_BRACES = /^(?:[\w./*?~@: +#%^-]|\{[\w./*?~@: +#%^-]+(?:,[\w./*?~@: +#%^-]+)+\})*$/;

function expandPlain(part: string): readonly string[] {
  const open = part.indexOf("{");
  if (open < 0) return [part];
  const close = part.indexOf("}", open);
  const rest = expandPlain(part.slice(close + 1));
  const names = part.slice(open + 1, close).split(",");
  return names.flatMap((name) => rest.map((tail) => `${part.slice(0, open)}${name}${tail}`));
}

function splitPipes(source: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (char === "[") at = Math.max(at, endOfClass(source, at));
    else if (char === "{") depth++;
    else if (char === "}") depth--;
    else if (char === "|" && depth <= 0) {
      parts.push(source.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(source.slice(from));
  return parts;
}

// Returns the index of the `]` that closes the class at `at`, or -1. A `]` in first position is a member.
function endOfClass(source: string, at: number): number {
  const members = source[at + 1] === "!" ? at + 2 : at + 1;
  return source.indexOf("]", members + 1);
}

function parse(
  source: string,
  { caret }: { readonly caret: boolean },
): readonly (readonly Token[])[] {
  const runs: Token[][] = [[]];
  let literal = "";
  const push = (token?: Token): void => {
    const run = runs.at(-1) ?? [];
    if (literal !== "") run.push(literal);
    literal = "";
    if (token !== undefined) run.push(token);
  };
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? "";
    if (char === "*") {
      push();
      const empty = runs.length > 1 && runs.at(-1)?.length === 0;
      if (!empty) runs.push([]);
    } else if (char === "?") push(["?"]);
    else if (char === "[") {
      const end = endOfClass(source, at);
      if (end < 0) {
        throw new PatternError(
          `${quote(source)} has a \`[\` without \`]\`. A class looks like \`[a-z]\``,
          "Write `\\\\[` in a basic string for the character itself",
        );
      }
      push(parseClass(source, at, end, caret));
      at = end;
    } else if (char === "\\") {
      const next = source[++at];
      if (next === undefined) throw new PatternError(`${quote(source)} ends in a backslash`);
      literal += next;
    } else literal += char;
  }
  push();
  return runs;
}

function parseClass(source: string, at: number, end: number, caret: boolean): Token {
  if (source[at + 1] === "^" && !caret) {
    throw new PatternError(
      `${quote(source)} uses \`[^\`. Write \`[!\` for characters not in the class`,
    );
  }
  const not = source[at + 1] === "!";
  const points = Array.from(
    source.slice(at + (not ? 2 : 1), end),
    (char) => char.codePointAt(0) ?? 0,
  );
  const ranges: Range[] = [];
  for (let i = 0; i < points.length; i++) {
    const low = points[i] ?? 0;
    const high = points[i + 2];
    if (points[i + 1] === 0x2d && high !== undefined) {
      if (high < low) {
        throw new PatternError(
          `The range in ${quote(source.slice(at, end + 1))} runs from high to low`,
        );
      }
      ranges.push([low, high]);
      i += 2;
    } else ranges.push([low, low]);
  }
  return { not, ranges };
}

// Greedy: each run between two stars matches at its leftmost position. That also ends first, so no other choice can
// do better, and nothing is tried twice.
function matchRuns(runs: readonly (readonly Token[])[], text: string): boolean {
  const first = runs[0] ?? [];
  let at = matchAt(first, text, 0);
  if (runs.length === 1) return at === text.length;
  if (at < 0) return false;
  for (let i = 1; i < runs.length - 1; i++) {
    at = find(runs[i] ?? [], text, at);
    if (at < 0) return false;
  }
  const last = runs.at(-1) ?? [];
  if (last.length === 0) return true;
  const start = startOfTail(last, text);
  return start >= at && matchAt(last, text, start) === text.length;
}

// Returns the end of a match that starts exactly at `at`, or -1.
function matchAt(run: readonly Token[], text: string, at: number): number {
  let here = at;
  for (const token of run) {
    if (typeof token === "string") {
      if (!text.startsWith(token, here)) return -1;
      here += token.length;
      continue;
    }
    const point = text.codePointAt(here);
    if (point === undefined || !fits(token, point)) return -1;
    here += point > 0xffff ? 2 : 1;
  }
  return here;
}

// Returns the end of the leftmost match that starts at or after `from`, or -1.
function find(run: readonly Token[], text: string, from: number): number {
  const [lead] = run;
  if (typeof lead === "string") {
    for (let at = text.indexOf(lead, from); at >= 0; at = text.indexOf(lead, at + 1)) {
      const end = run.length === 1 ? at + lead.length : matchAt(run, text, at);
      if (end >= 0) return end;
    }
    return -1;
  }
  for (let at = from; at <= text.length; at++) {
    const end = matchAt(run, text, at);
    if (end >= 0) return end;
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
  }
  return -1;
}

// Returns where a run must start to end at the end of the text, or -1.
function startOfTail(run: readonly Token[], text: string): number {
  let at = text.length;
  for (let i = run.length - 1; i >= 0; i--) {
    const token = run[i];
    if (typeof token === "string") at -= token.length;
    else at -= at >= 2 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1;
    if (at < 0) return -1;
  }
  return at;
}

function fits(token: Exclude<Token, string>, point: number): boolean {
  if (Array.isArray(token)) return true;
  return token.ranges.some(([low, high]) => point >= low && point <= high) !== token.not;
}
