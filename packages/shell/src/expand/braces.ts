import { LIMITS } from "../limits.ts";

// Text of a word. Unquoted if the shell still interprets special characters in it.
interface Text {
  readonly text: string;
  readonly quoted: boolean;
}

/** A part of a word known only at run time. */
export interface Hole {
  readonly hole: "any" | "name" | "number";
  /** Whether it may become none or several words. */
  readonly splits: boolean;
  /** Whether it is the home directory, unless something changes that. */
  readonly home?: boolean;
  /** Whether it may be no text at all, so that what follows would begin the word. */
  readonly optional?: true;
}

export type Unit = Text | Hole;
// One unquoted character, or a unit that braces do not split.
type Cell = string | Unit;

const MAX_DEPTH = 16;
const MAX_LENGTH = 65_536;
const MAX_STEPS = 100_000;

interface Cells {
  readonly cells: readonly Cell[];
  /** The remaining number of copies and steps. */
  room: number;
  steps: number;
}

/** Expands the braces of a word. Undefined if there are too many words, or if bash has special rules. */
export function expandBraces(units: readonly Unit[]): readonly (readonly Unit[])[] | undefined {
  const cells: Cell[] = [];
  for (const unit of units) {
    if ("text" in unit && !unit.quoted) for (const character of unit.text) cells.push(character);
    else cells.push(unit);
  }
  const all: Cells = { cells, room: MAX_LENGTH, steps: MAX_STEPS };
  const words = expand(all, 0, cells.length, 0);
  return all.steps < 0 ? undefined : words?.map(joined);
}

function expand(all: Cells, from: number, to: number, depth: number): Cell[][] | undefined {
  if (depth > MAX_DEPTH) return undefined;
  let words: Cell[][] | undefined = [[]];
  let start = from;
  let first = from;
  for (let at = from; at < to && words !== undefined; at++) {
    if (all.cells[at] !== "{") continue;
    // `{}` at the start of a word is literal.
    if (at === first && all.cells[at + 1] === "}") continue;
    const foreign = foreignEnd(all, at + 1, to);
    const end = foreign < 0 ? find(all, at + 1, to, "}") : foreign;
    if (end < 0) continue;
    let items = itemsOf(all, at + 1, end, depth);
    if (foreign >= 0) items = [...(items ?? []), [ANY_WORDS]];
    if (items === undefined) return undefined;
    words = times(all, words, [all.cells.slice(start, at)]);
    if (words !== undefined)
      words = times(all, words, items.length === 0 ? [all.cells.slice(at, end + 1)] : items);
    at = end;
    start = first = end + 1;
  }
  return words === undefined ? undefined : times(all, words, [all.cells.slice(start, to)]);
}

// In zsh, the ends of a sequence may be any characters, also in quotes, and braces around numbers vanish if one is missing.
const SEQUENCE = /^(?:.\.\..|(?=\d|.*\d$)-?\d*\.\.-?\d*(?:\.\.-?\d*)?)$/su;
// The start of a sequence, and a hole that may be the rest.
const MAYBE_SEQUENCE = /^(?:.?|.\.|.\.\..?)\0/su;

// Finds the end of what is a sequence only in zsh, which expands variables before braces. Negative if it is none.
function foreignEnd(all: Cells, from: number, to: number): number {
  let text = "";
  let quoted = false;
  let list = false;
  for (let at = from; at < to && text.length < 64; at++) {
    const cell = all.cells[at];
    if (--all.steps < 0 || cell === undefined || cell === "{") return -1;
    if (cell === "}") {
      const known = !quoted && (LETTERS.test(text) || NUMBERS.test(text));
      const possible = SEQUENCE.test(text) || (!list && MAYBE_SEQUENCE.test(text));
      return possible && !known ? at : -1;
    }
    quoted ||= typeof cell !== "string";
    list ||= cell === ",";
    text += typeof cell === "string" ? cell : "text" in cell ? cell.text : HOLES[cell.hole];
  }
  return -1;
}

const HOLES = { any: "\0", name: "\0", number: "0" } as const;
const ANY_WORDS: Hole = { hole: "any", splits: true };

// A closing brace counts only after a comma or two dots on its own level.
function find(all: Cells, from: number, to: number, sign: "}" | ","): number {
  let level = 0;
  let parts = sign === "}" ? 0 : 1;
  for (let at = from; at < to; at++) {
    if (--all.steps < 0) return -1;
    const cell = all.cells[at];
    if (cell === sign && level === 0 && parts > 0) return at;
    if (cell === "{") level++;
    else if (cell === "}" && level > 0) level--;
    else if (level === 0 && sign === "}") {
      if (cell === "," || (cell === "." && all.cells[at + 1] === "." && all.cells[at + 2] !== "}"))
        parts++;
    }
  }
  return -1;
}

function times(all: Cells, heads: Cell[][], tails: readonly Cell[][]): Cell[][] | undefined {
  if (heads.length * tails.length > LIMITS.braces) return undefined;
  const result: Cell[][] = [];
  for (const head of heads) {
    for (const tail of tails) {
      if ((all.room -= head.length + tail.length) < 0) return undefined;
      result.push(tail.length === 0 ? head : head.concat(tail));
    }
  }
  return result;
}

// The items between two braces. Empty if the braces are literal.
function itemsOf(all: Cells, from: number, to: number, depth: number): Cell[][] | undefined {
  const inner = all.cells.slice(from, to);
  if (!inner.includes(",")) {
    // Bash also looks for a comma in quotes and substitutions, and zsh for braces in a sequence.
    return inner.every((cell) => typeof cell === "string" && cell !== "{")
      ? sequence(inner)
      : undefined;
  }
  const items: Cell[][] = [];
  for (let start = from; start <= to;) {
    const comma = find(all, start, to, ",");
    const end = comma < 0 ? to : comma;
    const item = expand(all, start, end, depth + 1);
    if (item === undefined || items.length + item.length > LIMITS.braces) return undefined;
    items.push(...item);
    start = end + 1;
  }
  return items;
}

const NUMBERS = /^([-+]?\d+)\.\.([-+]?\d+)(?:\.\.([-+]?\d+))?$/;
const LETTERS = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.([-+]?\d+))?$/;

function sequence(cells: readonly Cell[]): Cell[][] | undefined {
  if (cells.length < 4 || cells.length > 64) return [];
  const text = cells.join("");
  const letters = LETTERS.exec(text);
  const found = letters ?? NUMBERS.exec(text);
  if (found === null) return [];
  const [, first = "", last = "", by = "1"] = found;
  const from = letters === null ? Number(first) : first.charCodeAt(0);
  const to = letters === null ? Number(last) : last.charCodeAt(0);
  const step = Math.abs(Number(by)) || 1;
  // Between Z and a there are characters that the shell interprets.
  if (letters !== null && from < 97 !== to < 97) return undefined;
  if (Math.abs(from) > 1e9 || Math.abs(to) > 1e9 || Math.abs(to - from) / step >= LIMITS.braces)
    return undefined;
  const width =
    /^[-+]?0\d/.test(first) || /^[-+]?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const items: Cell[][] = [];
  for (
    let value = from;
    from <= to ? value <= to : value >= to;
    value += from <= to ? step : -step
  ) {
    items.push(letters === null ? padded(value, width).split("") : [String.fromCharCode(value)]);
  }
  return items;
}

function padded(value: number, width: number): string {
  const digits = String(Math.abs(value));
  return value < 0 ? `-${digits.padStart(width - 1, "0")}` : digits.padStart(width, "0");
}

function joined(cells: readonly Cell[]): Unit[] {
  const units: Unit[] = [];
  let text = "";
  for (const cell of cells) {
    if (typeof cell === "string") {
      text += cell;
      continue;
    }
    if (text !== "") units.push({ text, quoted: false });
    text = "";
    units.push(cell);
  }
  if (text !== "") units.push({ text, quoted: false });
  return units;
}
