import type { Piece, Word } from "../analysis.ts";
import { visitWord } from "./expansions.ts";
import { commitIn, globIn } from "./printed-words.ts";
import { expandBraces, type Hole, type Unit } from "./braces.ts";
import { noteUnknown, HOLE, quote, type WalkState } from "../walk/walk-state.ts";
import { foundAgain } from "../programs/found-files.ts";
import { LIMITS } from "../limits.ts";
import type { WordNode } from "../parse/syntax.ts";
import { MATCH, PIPE_NUMBER, SPLIT, unitsOf, variableOf } from "./units.ts";

// In zsh, `=name` is the path of a program or file.
const EQUALS = /^=(?!=)/;
// zsh expands these at the start of a word also after empty quotes.
const AFTER_EMPTY = /^(?:~|=(?!=))/;
const PLAIN = /^(?!=[^=])[\w\-./:=,@%+^]+$/;
function known(text: string): Word {
  return { text, pieces: [text], single: true };
}

/** Adds the words to which bash expands one word of the line. Its substitutions become pending. */
export function appendWords(walk: WalkState, node: WordNode, words: Word[]): void {
  if (PLAIN.test(node.text)) {
    const { text } = node;
    if (text.includes("HOME")) walk.home.folderAfterCd = true;
    words.push({ text, pieces: [text], single: true });
    return;
  }
  const name = nameWord(walk, node) ?? printedWord(walk, node, words);
  if (name !== undefined) {
    words.push(name);
    return;
  }
  for (const units of bracesOf(walk, unitsOf(walk, node)))
    if (units.length > 0) words.push(argumentOf(walk, units));
  noteSubstitution(walk, node, "CommandExpansion", words.at(-1));
}

// Expands the braces of a word.
function bracesOf(walk: WalkState, units: readonly Unit[]): readonly (readonly Unit[])[] {
  if (!units.some((unit) => "text" in unit && !unit.quoted && unit.text.includes("{")))
    return [units];
  const expanded = walk.braces < LIMITS.words ? expandBraces(units) : undefined;
  if (expanded !== undefined && (walk.braces += expanded.length) <= LIMITS.words) return expanded;
  noteUnknown(walk, "limit", "a brace expansion with too many words");
  return [[SPLIT]];
}

/** Expands the target of a redirection. zsh opens every word, and bash opens the word if there is only one. */
export function targetsOf(walk: WalkState, node: WordNode): Word[] {
  if (PLAIN.test(node.text)) return [known(node.text)];
  const name = nameWord(walk, node);
  if (name !== undefined) return [name];
  const words = bracesOf(walk, unitsOf(walk, node)).map((units) => wordOf(walk, units));
  noteSubstitution(walk, node, "ProcessSubstitution", words.at(-1));
  return words;
}

// What a substitution prints may turn out to be a list of paths, if the word is nothing else.
function noteSubstitution(
  walk: WalkState,
  { parts = [] }: WordNode,
  type: "CommandExpansion" | "ProcessSubstitution",
  word: Word | undefined,
): void {
  const [part, ...more] = parts;
  if (part?.type === type && more.length === 0 && word !== undefined && word.text === undefined)
    (walk.substituted ??= new Map()).set(part, word);
}

/** Expands the word of an assignment or here-string. It stays one word, and its braces are literal. */
export function oneWord(walk: WalkState, node: WordNode): Word {
  if (PLAIN.test(node.text)) return known(node.text);
  return wordOf(walk, unitsOf(walk, node));
}

// The word that stands for a name that the shell or another program finds, if the node is nothing but `"$f"` or `$f`.
function nameWord(walk: WalkState, node: WordNode): Word | undefined {
  const [part, more] = node.parts ?? [];
  if (part === undefined || more !== undefined) return undefined;
  const [inner = part, another] = part.type === "DoubleQuoted" ? part.parts : [];
  const variable = another === undefined ? variableOf(inner.text) : undefined;
  const name = variable === undefined ? undefined : walk.variables.nameIn(variable, walk);
  if (name === undefined) return undefined;
  const isOpen = part.type === "SimpleExpansion" || part.type === "ParameterExpansion";
  if (name.found !== undefined)
    return foundAgain(name.found, isOpen ? { splits: true, expands: true } : {});
  const parts = isOpen ? [{ ...part, type: "DoubleQuoted", parts: [part] } as const] : node.parts;
  const word = wordOf(walk, unitsOf(walk, { ...node, parts }));
  return { ...word, globbed: true, ...(isOpen ? { splits: true } : {}) };
}

// The word that stands for what a substitution prints, if that is known from its text.
function printedWord(walk: WalkState, node: WordNode, before: readonly Word[]): Word | undefined {
  const { text } = node;
  if (!text.includes("$(")) return undefined;
  const [commit, glob] = [commitIn(text, before), globIn(text)];
  if (commit === undefined && glob === undefined) return undefined;
  visitWord(walk, node);
  if (commit !== undefined) return commit;
  return { ...argumentOf(walk, [{ text: glob ?? "", quoted: false }]), splits: true };
}

// A word in which bash also expands globs.
function argumentOf(walk: WalkState, units: readonly Unit[]): Word {
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
  return globbed ? { ...word, globbed } : word;
}

function wordOf(walk: WalkState, units: readonly Unit[]): Word {
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
        append(pieces, PIECES[unit.hole]);
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

// Text joins the text before it. Empty text is no piece.
function append(pieces: Piece[], piece: Piece): void {
  const at = pieces.length - 1;
  const last = pieces[at];
  if (typeof piece === "string" && typeof last === "string") pieces[at] = last + piece;
  else if (piece !== "") pieces.push(piece);
}

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
