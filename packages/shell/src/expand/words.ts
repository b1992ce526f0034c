import type { Piece, Word } from "../analysis.ts";
import { expandBraces, type Hole, type Unit } from "./braces.ts";
import { operatorLookalike } from "../parse/characters.ts";
import { noteUnknown, HOLE, quote, type WalkState } from "../walk/walk-state.ts";
import { LIMITS } from "../limits.ts";
import { visitArithmetic, visitParameter, visitParts } from "./expansions.ts";
import type { WordNode, WordPart } from "../parse/syntax.ts";
import { noteUse } from "./secrets.ts";
import { quotedDocument } from "./quoted-document.ts";

const PLAIN = /^[\w\-./:=,@%+^]+$/;
const ANY: Hole = { hole: "any", splits: false };
const SPLIT: Hole = { hole: "any", splits: true };
const NUMBER: Hole = { hole: "number", splits: false };
// `$!` is empty without a background job.
const JOB: Hole = { hole: "number", splits: true };
const HOME_QUOTED: Hole = { hole: "any", splits: false, home: true };
const HOME_OPEN: Hole = { hole: "any", splits: true, home: true };
const PIPE_NUMBER: Hole = { hole: "name", splits: false };
const MATCH: Hole = { hole: "name", splits: true };

function known(text: string): Word {
  return { text, pieces: [text], single: true };
}

/** Adds the words to which bash expands one word. Its substitutions become pending. */
export function appendWords(walk: WalkState, node: WordNode, words: Word[]): void {
  if (PLAIN.test(node.text)) {
    const { text } = node;
    if (text.includes("HOME")) walk.home.folderAfterCd = true;
    words.push({ text, pieces: [text], single: true });
    return;
  }
  const units = unitsOf(walk, node);
  if (!units.some((unit) => "text" in unit && !unit.quoted && unit.text.includes("{"))) {
    if (units.length > 0) words.push(wordOf(walk, units));
    return;
  }
  const expanded = walk.braces < LIMITS.words ? expandBraces(units) : undefined;
  if (expanded === undefined || (walk.braces += expanded.length) > LIMITS.words) {
    noteUnknown(walk, "limit", "a brace expansion with too many words");
    words.push({ text: undefined, pieces: [SPLIT], single: false });
    return;
  }
  for (const each of expanded) if (each.length > 0) words.push(wordOf(walk, each));
}

/** The single word of an assignment or redirection, in which braces are literal. */
export function oneWord(walk: WalkState, node: WordNode): Word {
  if (PLAIN.test(node.text)) return known(node.text);
  return wordOf(walk, unitsOf(walk, node));
}

function unitsOf(walk: WalkState, node: WordNode): Unit[] {
  const units: Unit[] = [];
  if (node.parts === undefined) open(walk, node.text, units);
  else for (const part of node.parts) add(walk, part, units, false);
  return units;
}

function addGlob(walk: WalkState, part: Extract<WordPart, { type: "Glob" }>, units: Unit[]): void {
  if (part.kind !== "bracket") return open(walk, part.text, units);
  // `$[` starts arithmetic, even if unterminated.
  if (endsWithDollar(units.at(-1)))
    noteUnknown(walk, "syntax", `shell syntax in ${quote(`$${part.text}`)}`);
  visitParts(walk, part.parts);
  units.push(part.text.includes("/") ? SPLIT : MATCH);
}

function add(walk: WalkState, part: WordPart, units: Unit[], quoted: boolean): void {
  walk.nodes++;
  switch (part.type) {
    case "Literal":
      if (quoted) {
        if (NO_END.test(part.text))
          noteUnknown(walk, "syntax", `an unterminated expansion in ${quote(part.text)}`);
        units.push({ text: part.value, quoted });
      } else open(walk, part.text, units);
      return;
    case "SingleQuoted":
      units.push({ text: part.value, quoted: true });
      return;
    case "AnsiCQuoted":
      addAnsi(walk, part.text, part.value, units);
      return;
    case "DoubleQuoted":
    case "LocaleString":
      if (part.parts.length === 0) units.push({ text: "", quoted: true });
      for (const child of part.parts) add(walk, child, units, true);
      return;
    case "Glob":
      return addGlob(walk, part, units);
    case "ExtendedGlob":
      visitParts(walk, part.parts);
      noteUnknown(
        walk,
        "syntax",
        `extended glob ${quote(part.text)}, which bash refuses unless an option is set`,
      );
      units.push(SPLIT);
      return;
    case "BraceExpansion":
      if (part.parts === undefined) return open(walk, part.text, units);
      units.push({ text: "{", quoted: false });
      for (const child of part.parts) add(walk, child, units, false);
      units.push({ text: "}", quoted: false });
      return;
    case "SimpleExpansion":
      if (part.text === "$HOME") units.push(quoted ? HOME_QUOTED : HOME_OPEN);
      else if (/^\$[?#$]$/.test(part.text)) units.push(NUMBER);
      else if (part.text === "$!") units.push(quoted ? ANY : JOB);
      else {
        noteUse(walk, part.text.slice(1));
        units.push(quoted && part.text !== "$@" ? ANY : SPLIT);
      }
      return;
    case "ParameterExpansion":
      visitParameter(walk, part);
      if (part.prefix !== "#") noteUse(walk, part.parameter);
      if (part.text === "${HOME}") units.push(quoted ? HOME_QUOTED : HOME_OPEN);
      else if (
        part.prefix === "#" &&
        part.operation === undefined &&
        /^\$\{#[\w@*[\]]+\}$/.test(part.text)
      )
        units.push(NUMBER);
      else units.push(quoted && !/@/.test(part.text) ? ANY : SPLIT);
      return;
    case "ArithmeticExpansion":
      if (/^\$\[.*\[/s.test(part.text))
        noteUnknown(walk, "syntax", `brackets in ${quote(part.text)}`);
      visitArithmetic(
        walk,
        part.text.slice(part.text[1] === "[" ? 2 : 3, part.text[1] === "[" ? -1 : -2),
        part.expression,
      );
      units.push(NUMBER);
      return;
    case "CommandExpansion": {
      (walk.pending ??= []).push(part);
      const text = quoted ? quotedDocument(part) : undefined;
      if (text === undefined) units.push(quoted ? ANY : SPLIT);
      else units.push({ text, quoted });
      return;
    }
    case "ProcessSubstitution":
      (walk.pending ??= []).push(part);
      units.push({ text: "/dev/fd/", quoted: true }, PIPE_NUMBER);
  }
}

function endsWithDollar(unit: Unit | undefined): boolean {
  return unit !== undefined && "text" in unit && !unit.quoted && unit.text.endsWith("$");
}

function addAnsi(walk: WalkState, text: string, value: string, units: Unit[]): void {
  // Rare escapes that parsers and shells read differently.
  if (/\\(c|\n|$)/.test(text.slice(2, -1)) || value.includes("\0")) {
    noteUnknown(walk, "syntax", "an escape in `$'…'` that shells read differently");
    units.push(ANY);
  } else units.push({ text: value, quoted: true });
}

const NO_END = /^(?:[^\\]|\\.)*?\$[[{]/s;

// The rest of an unterminated expansion, or operators that are no text in bash.
const NO_TEXT = /^(?:[^\\]|\\.)*?(?:\$[[{]|[()<>|&;])/s;

// Outside quotes a backslash quotes the next character or joins two lines.
function open(walk: WalkState, text: string, units: Unit[]): void {
  if (NO_TEXT.test(text)) noteUnknown(walk, "syntax", `shell syntax in ${quote(text)}`);
  const lookalike = operatorLookalike(text);
  if (lookalike !== undefined)
    noteUnknown(walk, "syntax", `character ${quote(lookalike)}, which looks like an operator`);
  let start = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", start)) {
    if (at > start) units.push({ text: text.slice(start, at), quoted: false });
    const next = text.codePointAt(at + 1);
    const character = next === undefined ? "\\" : String.fromCodePoint(next);
    if (next === undefined) noteUnknown(walk, "syntax", "`\\` before the end");
    if (character !== "\n") units.push({ text: character, quoted: true });
    start = next === undefined ? text.length : at + 1 + character.length;
  }
  if (start < text.length) units.push({ text: text.slice(start), quoted: false });
}

function wordOf(walk: WalkState, units: readonly Unit[]): Word {
  const pieces: Piece[] = [];
  let text = "";
  let single = true;
  let tilde = false;
  let here = false;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    if (unit === undefined) break;
    if ("text" in unit) {
      if (unit.quoted) {
        text += unit.text;
        tilde ||= unit.text.includes("~");
        continue;
      }
      let rest = unit.text;
      if (rest.includes("~")) {
        const before = at === 0 ? tildeOf(walk, rest, units.length > 1) : undefined;
        if (before === undefined) tilde = true;
        else if (before.known) {
          text += before.text;
          rest = rest.slice(before.text.length);
        } else {
          here = /^~\+(\/|$)/.test(rest);
          // The line or its environment may set `PWD`, so only a deny takes it for the working directory.
          if (here) noteUnknown(walk, "state", "`~+`, the value of `PWD`");
          if (before.text !== "") pieces.push(before.text);
          pieces.push(ANY);
          rest = rest.slice(before.length);
        }
      }
      if (/[*?[]/.test(rest)) {
        const matched = globbed(rest);
        for (const piece of matched) {
          if (typeof piece === "string") text += piece;
          else {
            if (text !== "") pieces.push(text);
            text = "";
            pieces.push(piece);
            single = false;
          }
        }
      } else text += rest;
      continue;
    }
    if (unit.home === true && at === 0 && walk.home.trusted && beginsPath(units[1])) {
      walk.home.used = true;
      text = "~";
      continue;
    }
    if (text !== "") pieces.push(text);
    text = "";
    pieces.push(PIECES[unit.hole]);
    if (unit.splits) single = false;
  }
  if (text !== "" || pieces.length === 0) pieces.push(text);
  const whole = pieces.length === 1 && typeof pieces[0] === "string" ? pieces[0] : undefined;
  if (whole?.includes("HOME") === true) walk.home.folderAfterCd = true;
  const word: Word = {
    text: whole,
    pieces,
    single,
    ...(units.length === 2 && units[1] === PIPE_NUMBER ? { pipe: true } : {}),
    ...(here ? { here } : {}),
  };
  if (tilde && whole !== undefined) (walk.tildes ??= []).push(word);
  return walk.holes ? opened(word) : word;
}

const ANY_PIECE: Piece = { hole: "any" };
const NAME_PIECE: Piece = { hole: "name" };
const PIECES: Readonly<Record<Hole["hole"], Piece>> = {
  any: ANY_PIECE,
  name: NAME_PIECE,
  number: { hole: "number" },
};

// A hole in a script may stand for anything, including several words.
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

interface Tilde {
  readonly known: boolean;
  readonly text: string;
  readonly length: number;
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
    return { known: true, text: text.slice(0, start + 1), length: start + 1 };
  }
  return { known: false, text: text.slice(0, start), length: start + length };
}

// Glob characters stand for text without a slash, or for themselves if nothing matches.
function globbed(text: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign !== "*" && sign !== "?" && !(sign === "[" && text.includes("]", at + 1))) continue;
    if (at > start) pieces.push(text.slice(start, at));
    if (sign === "[") {
      const end = text.indexOf("]", at + 1);
      pieces.push(text.slice(at, end).includes("/") ? ANY_PIECE : NAME_PIECE);
      at = end;
    } else if (pieces.at(-1) !== NAME_PIECE || at > start) pieces.push(NAME_PIECE);
    start = at + 1;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}
