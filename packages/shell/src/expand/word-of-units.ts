import type { Piece, Word } from "../analysis.ts";
import { HOLE, noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";
import type { Hole, Unit } from "./braces.ts";
import { NEW_FILE } from "../programs/path-of-word.ts";
import { MATCH, PIPE_NUMBER } from "./units.ts";

// In zsh, `=name` is the path of a program or file.
const EQUALS = /^=(?!=)/;
// zsh expands these at the start of a word also after empty quotes.
const AFTER_EMPTY = /^(?:~|=(?!=))/;

// Bash expands a tilde at the start before a joined line, and zsh also before quotes.
const TILDE_FIRST = /^(?:[A-Za-z_]\w*=)?~/;

/** The word for units of text and holes, in which bash also expands globs. */
export function argumentOf(walk: WalkState, units: readonly Unit[]): Word {
  const word = wordOf(walk, units);
  const globbed =
    !word.single &&
    units.every((unit) => "text" in unit || unit === MATCH) &&
    word.pieces.every((piece, at) => {
      if (typeof piece === "string") return true;
      const next = word.pieces[at + 1] ?? "/";
      // In zsh, an option makes `**.ts` the same as `**/*.ts`.
      const short = piece.deep === true && (typeof next !== "string" || !next.startsWith("/"));
      return piece.hole === "name" && !short;
    });
  if (globbed) return { ...word, globbed };
  return !word.single && word.pieces.every((piece) => piece === COUNT_PIECE)
    ? { ...word, optional: true }
    : word;
}

/** The word for units of text and holes. */
export function wordOf(walk: WalkState, units: readonly Unit[]): Word {
  const pieces: Piece[] = [];
  let single = true;
  let tilde = false;
  let plain = false;
  let here = false;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    if (unit === undefined) break;
    if (!("text" in unit)) {
      if (unit.home === true && at === 0 && walk.home.trusted && beginsPath(units[1])) {
        walk.home.used = true;
        append(pieces, "~");
      } else {
        append(pieces, unit.optional === true ? countIn(units) : PIECES[unit.hole]);
        if (unit.splits) single = false;
      }
      continue;
    }
    if (unit.quoted) {
      plain ||= pieces.length === 0 && unit.text.startsWith("~");
      append(pieces, unit.text);
      tilde ||= unit.text.includes("~");
      continue;
    }
    let rest = unit.text;
    if (at === 0 && EQUALS.test(rest) && (rest.length > 1 || units.length > 1)) {
      append(pieces, ANY_PIECE);
      continue;
    }
    if (at > 0 && pieces.length === 0 && AFTER_EMPTY.test(rest))
      noteUnknown(walk, "syntax", `${quote(rest)} after empty quotes, which zsh expands`);
    if (rest.includes("~")) {
      const start = at === 0 ? tildeOf(walk, rest, units.length > 1) : undefined;
      if (start === undefined) {
        if (at === 0 && TILDE_FIRST.test(rest))
          noteUnknown(walk, "syntax", `${quote(rest)} before quotes, which zsh expands`);
        tilde = true;
        plain ||= pieces.length === 0 && rest.startsWith("~");
      } else {
        here = start.here;
        for (const piece of start.pieces) append(pieces, piece);
        rest = rest.slice(start.length);
      }
    }
    for (const piece of /[*?[]/.test(rest) ? globbed(rest) : [rest]) {
      append(pieces, piece);
      if (typeof piece !== "string") single = false;
    }
  }
  if (pieces.length === 0) pieces.push("");
  const pipe = units.length === 2 && units[1] === PIPE_NUMBER;
  return wordFrom(walk, pieces, { single, tilde, plain, here, pipe });
}

/** What is known of a word besides its pieces. */
interface Marks {
  readonly single: boolean;
  /** Whether it contains a `~` that is a plain name. */
  readonly tilde: boolean;
  /** Whether it begins with one. */
  readonly plain: boolean;
  readonly here: boolean;
  readonly pipe: boolean;
}

function wordFrom(
  walk: WalkState,
  pieces: Piece[],
  { single, tilde, plain, here, pipe }: Marks,
): Word {
  const whole = pieces.length === 1 && typeof pieces[0] === "string" ? pieces[0] : undefined;
  // If `mktemp` printed nothing, the next word would be the value of the option.
  if (whole !== undefined && GLUED.test(whole))
    return { text: undefined, pieces: ["-", ANY_PIECE], single };
  if (plain && whole === undefined) pieces[0] = `./${String(pieces[0])}`;
  if (whole?.includes("HOME") === true) walk.home.folderAfterCd = true;
  const word: Word = {
    text: whole,
    pieces,
    single,
    ...(pipe ? { pipe } : {}),
    ...(here ? { here } : {}),
  };
  if (tilde && whole !== undefined) (walk.tildes ??= []).push(word);
  return walk.holes ? opened(word) : word;
}

const GLUED = new RegExp(`^-[^=]*${NEW_FILE.replace(".", "\\.")}`);

// Text joins the text before it. Empty text is no piece.
function append(pieces: Piece[], piece: Piece): void {
  const at = pieces.length - 1;
  const last = pieces[at];
  if (typeof piece === "string" && typeof last === "string") pieces[at] = last + piece;
  else if (piece !== "") pieces.push(piece);
}

// If nothing is printed, the word begins with the text after it.
const countIn = (units: readonly Unit[]): Piece => (units.length === 1 ? COUNT_PIECE : ANY_PIECE);

const COUNT_PIECE: Piece = { hole: "number", optional: true };
const ANY_PIECE: Piece = { hole: "any" };
const NAME_PIECE: Piece = { hole: "name" };
const DEEP_PIECE: Piece = { hole: "name", deep: true };
const PIECES: Readonly<Record<Hole["hole"], Piece>> = {
  any: ANY_PIECE,
  name: NAME_PIECE,
  number: { hole: "number" },
};

// A hole in a script may be anything, including several words.
function opened(word: Word): Word {
  if (!word.pieces.some((piece) => typeof piece === "string" && piece.includes(HOLE))) return word;
  const pieces = word.pieces.flatMap((piece) => {
    if (typeof piece !== "string") return [piece];
    return piece
      .split(HOLE)
      .flatMap((text, index) => [
        ...(index > 0 ? [ANY_PIECE] : []),
        ...(text === "" ? [] : [text]),
      ]);
  });
  return { text: undefined, pieces, single: false };
}

function beginsPath(next: Unit | undefined): boolean {
  return next === undefined || ("text" in next && (next.text === "" || next.text.startsWith("/")));
}

/** What a `~` at the start of a word expands to, and the length of the text that it replaces. */
interface Tilde {
  readonly pieces: readonly Piece[];
  readonly length: number;
  /** Whether it is `~+`, the working directory. */
  readonly here: boolean;
}

// Expands a `~` at the start of a word or after the `=` of an assignment.
function tildeOf(walk: WalkState, text: string, more: boolean): Tilde | undefined {
  const start = text.startsWith("~") ? 0 : (/^[A-Za-z_]\w*=(?=~)/.exec(text)?.[0].length ?? -1);
  if (start < 0) return undefined;
  const length = /^~[^/:]*/.exec(text.slice(start))?.[0].length ?? 1;
  const ended = start + length < text.length;
  // With a quoted character or an expansion in the name, the `~` is literal.
  if (!ended && more) return undefined;
  if (length === 1 && walk.home.trusted) {
    walk.home.used = true;
    return { pieces: [text.slice(0, start + 1)], length: start + 1, here: false };
  }
  const here = /^~\+(\/|$)/.test(text);
  // The line or its environment may set `PWD`, so only a deny treats it as the working directory.
  if (here) noteUnknown(walk, "state", "`~+`, the value of `PWD`");
  return { pieces: [text.slice(0, start), ANY_PIECE], length: start + length, here };
}

// In zsh, `***` also follows links.
const DEEP = /(?<![^/])\*{2,3}/y;

// A glob matches text without a slash. Without a match, it stays as written.
function globbed(text: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign !== "*" && sign !== "?" && !(sign === "[" && text.includes("]", at + 1))) continue;
    if (at > start) pieces.push(text.slice(start, at));
    DEEP.lastIndex = at;
    if (DEEP.test(text)) {
      pieces.push(DEEP_PIECE);
      at = DEEP.lastIndex - 1;
    } else if (sign === "[") {
      const end = text.indexOf("]", at + 1);
      pieces.push(text.slice(at, end).includes("/") ? ANY_PIECE : NAME_PIECE);
      at = end;
    } else if (pieces.at(-1) !== NAME_PIECE || at > start) pieces.push(NAME_PIECE);
    start = at + 1;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}
