import { JSON_LIMITS } from "@bylaw/kernel";

/** The first fault of a JSON text. `offset` counts UTF-16 code units from 0. */
export interface JsonFault {
  readonly offset: number;
  readonly message: string;
}

const WHITE = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const LITERALS = ["true", "false", "null"] as const;

/**
 * Checks JSON text and returns its first fault: anything outside the grammar of RFC 8259, or anything that two parsers may read
 * differently (a repeated key, `__proto__`, a number that a double changes, too many levels or values). It takes one pass without
 * recursion or backtracking, so neither deep nor long text exhausts the stack.
 */
export function walkJson(text: string, most: number): JsonFault | undefined {
  let at = 0;
  let values = 0;
  const open: (Set<string> | undefined)[] = [];
  // What must come next. `first`: a value or a key, or the end of the container. `next`: a comma, or the end of the container.
  let expected: "value" | "first" | "key" | "next" = "value";

  for (;;) {
    at = skipWhite(text, at);
    const code = text.charCodeAt(at);
    const keys = open.at(-1);
    if (expected === "next") {
      if (open.length === 0)
        return at === text.length ? undefined : fault(at, text, "the end of the text");
      if (code === 0x2c) {
        at++;
        expected = keys === undefined ? "value" : "key";
      } else if (code === (keys === undefined ? 0x5d : 0x7d)) {
        at++;
        open.pop();
      } else return fault(at, text, keys === undefined ? "`,` or `]`" : "`,` or `}`");
      continue;
    }
    if (expected === "first" && code === (keys === undefined ? 0x5d : 0x7d)) {
      at++;
      open.pop();
      expected = "next";
      continue;
    }
    if (keys !== undefined && expected !== "value") {
      const end = endOfKey(text, at, keys);
      if (typeof end !== "number") return end;
      at = end;
      expected = "value";
      continue;
    }
    values += 1;
    if (values > most)
      return { offset: at, message: `More than ${most} values, the limit for this JSON` };
    if (code === 0x7b || code === 0x5b) {
      if (open.length === JSON_LIMITS.depth)
        return { offset: at, message: `Nested more than ${JSON_LIMITS.depth} levels deep` };
      open.push(code === 0x7b ? new Set() : undefined);
      at++;
      expected = "first";
      continue;
    }
    const end = code === 0x22 ? endOfString(text, at) : endOfScalar(text, at);
    if (typeof end !== "number") return end;
    at = end;
    expected = "next";
  }
}

/** Adds the key at an offset to the keys of its object. Returns the offset after the colon. */
function endOfKey(text: string, from: number, keys: Set<string>): number | JsonFault {
  if (text.charCodeAt(from) !== 0x22) return fault(from, text, "a key in double quotes");
  const end = endOfString(text, from);
  if (typeof end !== "number") return end;
  const raw = text.slice(from, end);
  const key = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  if (keys.has(key)) return { offset: from, message: `The key ${quote(key)} appears twice` };
  if (key === "__proto__") return { offset: from, message: "The key `__proto__` is not allowed" };
  keys.add(key);
  const colon = skipWhite(text, end);
  return text.charCodeAt(colon) === 0x3a ? colon + 1 : fault(colon, text, "`:`");
}

function skipWhite(text: string, from: number): number {
  const code = text.charCodeAt(from);
  if (code > 0x20) return from;
  WHITE.lastIndex = from;
  WHITE.test(text);
  return WHITE.lastIndex;
}

function endOfString(text: string, from: number): number | JsonFault {
  for (let at = from + 1; ;) {
    // A regular expression skips plain characters faster than a loop.
    PLAIN.lastIndex = at;
    PLAIN.test(text);
    at = PLAIN.lastIndex;
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (at >= text.length)
      return { offset: text.length, message: 'The text ends inside a string: `"` is missing' };
    if (code < 0x20)
      return { offset: at, message: "A control character in a string must be escaped" };
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(text)) return { offset: at, message: "JSON has no such escape in a string" };
    at = ESCAPE.lastIndex;
  }
}

function endOfScalar(text: string, from: number): number | JsonFault {
  NUMBER.lastIndex = from;
  if (NUMBER.test(text)) {
    const end = NUMBER.lastIndex;
    const token = text.slice(from, end);
    if (isExact(token)) return end;
    return { offset: from, message: `The number ${quote(token)} does not fit a double exactly` };
  }
  const literal = LITERALS.find((word) => text.startsWith(word, from));
  return literal === undefined ? fault(from, text, "a JSON value") : from + literal.length;
}

// INVARIANT: the value that is judged is the value that runs, so a double must keep every digit. Up to 15 digits it always does.
function isExact(token: string): boolean {
  if (token.length <= 15 && !/[eE]/.test(token)) return true;
  const written = significant(token);
  const value = Number(token);
  if (written === "") return value === 0;
  if (written.length > 17 || !Number.isFinite(value)) return false;
  // Compares with the shortest digits of the double, and with the double rounded to as many digits as were written. These two can differ.
  return (
    significant(String(value)) === written ||
    significant(value.toPrecision(written.length)) === written
  );
}

// Strips the zeros at both ends. A regular expression would take quadratic time for the zeros at the end.
function significant(number: string): string {
  const digits = number.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end).replace(/^0+/, "");
}

function fault(offset: number, text: string, wanted: string): JsonFault {
  const point = text.codePointAt(offset);
  const actual =
    point === undefined ? "the text ends" : `${quote(String.fromCodePoint(point))} stands`;
  return { offset, message: `Not valid JSON: ${actual} where ${wanted} belongs` };
}

function quote(text: string): string {
  const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text).slice(1, -1);
  return `\`${shown}\``;
}
