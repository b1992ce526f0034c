import type { Piece } from "../analysis.ts";
import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";
import { operatorLookalike } from "../parse/characters.ts";
import type { WordNode, WordPart } from "../parse/syntax.ts";
import type { Hole, Unit } from "./braces.ts";
import { noteSubscript, visitArithmetic, visitParameter, visitParts } from "./expansions.ts";
import { printsNumber } from "./printed-words.ts";
import { folderPath, printedFolder } from "./folder-path.ts";
import { quotedDocument } from "./quoted-document.ts";
import { noteUse } from "./secrets.ts";
import { NEW_FILE } from "../programs/path-of-word.ts";

const ANY: Hole = { hole: "any", splits: false };
/** Any text, in any number of words. */
export const SPLIT: Hole = { hole: "any", splits: true };
const NUMBER: Hole = { hole: "number", splits: false };
// A count is empty if its command fails, and `$!` without a background job.
const COUNT: Hole = { hole: "number", splits: false, optional: true };
const JOB: Hole = { ...COUNT, splits: true };
const HOME_QUOTED: Hole = { hole: "any", splits: false, home: true };
const HOME_OPEN: Hole = { hole: "any", splits: true, home: true };
/** The number of the pipe of a process substitution. */
export const PIPE_NUMBER: Hole = { hole: "name", splits: false };
const NAME: Hole = { hole: "name", splits: false };
/** What a glob in brackets matches. */
export const MATCH: Hole = { hole: "name", splits: true };

/** Splits a word into text, and holes for parts known only to bash. Its substitutions become pending. */
export function unitsOf(walk: WalkState, node: WordNode): Unit[] {
  const units: Unit[] = [];
  if (node.parts === undefined) {
    noteFlagged(walk, node.text);
    open(walk, node.text, units);
  } else addAll(walk, node.parts, units, { quoted: false });
  return units;
}

function addAll(
  walk: WalkState,
  parts: readonly WordPart[],
  units: Unit[],
  { quoted, next }: Around,
): void {
  for (const [at, part] of parts.entries()) {
    if (quoted) noteSubscript(walk, part, parts[at + 1]?.text);
    const known = valueUnits(walk, part, { quoted, next: parts[at + 1]?.text ?? next });
    if (known === undefined) add(walk, part, units, quoted);
    else units.push(...known);
  }
}

const VARIABLE = /^\$(?:(\w+)|\{(\w+)\})$/;

/** The name of the variable of which a text is the value, as in `$f` and `${f}`. */
export function variableOf(text: string): string | undefined {
  const [, bare, braced] = VARIABLE.exec(text) ?? [];
  return bare ?? braced;
}

// Without quotes, bash splits and globs a value, which changes none of these.
const staysOneWord = (piece: Piece): boolean =>
  typeof piece === "string"
    ? /^[\w./:@%+,=-]+$/.test(piece)
    : piece.hole === "number" && piece.optional !== true;

interface Around {
  readonly quoted: boolean;
  /** The text after the part, within the same quotes. */
  readonly next?: string | undefined;
}

// In zsh, names may have any letters.
const LETTER = String.raw`(?!\p{ASCII})[\p{L}\p{N}\p{M}]`;

// Text that may belong to `$f` before it. zsh reads `$f[1]` and `$f:h` as parts of the value. Bash expands braces and joins lines
// first: `$f{a,b}` and `{$f,b}a` are other variables. So is `$fé` in zsh.
const JOINS = {
  quoted: new RegExp(String.raw`^(?:[[:]|\\\n|${LETTER})`, "u"),
  open: new RegExp(String.raw`^(?:[[:{,}]|\\\n|${LETTER})`, "u"),
};

// The value of a variable that the line itself sets.
function valueUnits(
  walk: WalkState,
  part: WordPart,
  { quoted, next }: Around,
): readonly Unit[] | undefined {
  if (part.type !== "SimpleExpansion" && part.type !== "ParameterExpansion") return undefined;
  const found = VARIABLE.exec(part.text);
  const joins = quoted ? JOINS.quoted : JOINS.open;
  if (found === null || (found[1] !== undefined && joins.test(next ?? ""))) return undefined;
  const name = found[1] ?? found[2] ?? "";
  const folder = name === "PWD" ? folderPath(walk) : undefined;
  const value = folder === undefined ? walk.variables.valueOf(name) : [folder];
  if (value === undefined || (!quoted && !value.every(staysOneWord))) return undefined;
  return value.map((piece) =>
    typeof piece === "string"
      ? { text: piece, quoted: true }
      : piece.hole === "name"
        ? NAME
        : piece.optional === true
          ? COUNT
          : NUMBER,
  );
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
      noteFlagged(walk, part.text);
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
      addAll(walk, part.parts, units, { quoted: true });
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
      addAll(walk, part.parts, units, { quoted: false, next: "}" });
      units.push({ text: "}", quoted: false });
      return;
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "ArithmeticExpansion":
      units.push(holeOf(walk, part, quoted));
      return;
    case "CommandExpansion": {
      (walk.pending ??= []).push(part);
      const text =
        newFile(part.text) ??
        printedFolder(walk, part.text) ??
        (quoted ? quotedDocument(part) : undefined);
      if (text === undefined && quoted && printsCount(walk, part)) units.push(COUNT);
      else if (text === undefined) units.push(quoted ? ANY : SPLIT);
      else units.push({ text, quoted: true });
      return;
    }
    case "ProcessSubstitution":
      (walk.pending ??= []).push(part);
      units.push({ text: "/dev/fd/", quoted: true }, PIPE_NUMBER);
  }
}

/**
 * The path that stands for a new file or folder of `mktemp`, whose real name nobody knows yet. A `TMPDIR` may move it to another
 * temporary folder.
 */
const newFile = (text: string): string | undefined =>
  /^\$\( ?mktemp(?: -d)? ?\)$/.test(text) ? NEW_FILE : undefined;

/** As {@link printsNumber}, for a substitution whose files may come from a loop. */
export const printsCount = (
  walk: WalkState,
  { script }: Extract<WordPart, { type: "CommandExpansion" }>,
): boolean => printsNumber(script, (word) => isFound(walk, word));

// Whether it is the variable of a loop over files, in quotes.
function isFound(walk: WalkState, text: string): boolean {
  const variable = /^".*"$/.test(text) ? variableOf(text.slice(1, -1)) : undefined;
  return variable !== undefined && walk.variables.nameIn(variable, walk) !== undefined;
}

type Expansion = Extract<
  WordPart,
  { type: "SimpleExpansion" | "ParameterExpansion" | "ArithmeticExpansion" }
>;

function holeOf(walk: WalkState, part: Expansion, quoted: boolean): Hole {
  const { text } = part;
  if (part.type === "ArithmeticExpansion") {
    if (/^\$\[.*\[/s.test(text)) noteUnknown(walk, "syntax", `brackets in ${quote(text)}`);
    const body = text[1] === "[" ? text.slice(2, -1) : text.slice(3, -2);
    visitArithmetic(walk, body, part.expression);
    return NUMBER;
  }
  if (part.type === "ParameterExpansion") {
    const { prefix, operation, parameter } = part;
    visitParameter(walk, part);
    if (prefix !== "#") noteUse(walk, parameter);
    if (text === "${HOME}") return quoted ? HOME_QUOTED : HOME_OPEN;
    if (prefix === "#" && operation === undefined && /^\$\{#[\w@*[\]]+\}$/.test(text))
      return NUMBER;
    return quoted && !text.includes("@") ? ANY : SPLIT;
  }
  if (text === "$HOME") return quoted ? HOME_QUOTED : HOME_OPEN;
  if (/^\$[?#$]$/.test(text)) return NUMBER;
  // No rule allows a line that sets one of these to more than a plain word, and a file that one of them names is unknown. What only
  // prints its words may have them.
  if (OF_MACHINE.test(text)) return ANY;
  if (text === "$!") return quoted ? ANY : JOB;
  noteUse(walk, text.slice(1));
  return quoted && text !== "$@" ? ANY : SPLIT;
}

const OF_MACHINE =
  /^\$(?:PATH|PWD|SHELL|USER|LOGNAME|HOSTNAME|TERM|LANG|LC_ALL|NODE_ENV|VIRTUAL_ENV|CONDA_PREFIX|JAVA_HOME|GOPATH|GOROOT)$/;

function endsWithDollar(unit: Unit | undefined): boolean {
  return unit !== undefined && "text" in unit && !unit.quoted && unit.text.endsWith("$");
}

function addAnsi(walk: WalkState, text: string, value: string, units: Unit[]): void {
  // Rare escapes that parsers and shells read differently.
  if (/\\(c|\n|$)/.test(text.slice(2, -1)) || value.includes("\0")) {
    noteUnknown(walk, "syntax", "an escape in `$'…'` that shells read differently");
    units.push(ANY);
    return;
  }
  if (endsInDash(walk.source, text))
    noteUnknown(walk, "syntax", "a quote in `$'…'`, which ends the text in dash");
  units.push({ text: value, quoted: true });
}

// In dash, `\'` ends the text, so the last quote begins another one. Without an end of that one, dash runs nothing.
function endsInDash(source: string, text: string): boolean {
  const end = text.indexOf("'", 2);
  if (end === text.length - 1) return false;
  const closing = source.indexOf(text) + text.length - 1;
  return /["`\n#]/.test(text.slice(end + 1)) || source.lastIndexOf("'") > closing;
}

// In zsh, `$=f`, `$~f` and `$^f` are the value of `f`, and without a name nothing is left. Shells join lines
// first, so a `$` may belong to the next line.
const FLAGGED = new RegExp(
  String.raw`^(?:[^\\]|\\.)*?\$(?:[=~^]|\+[=~^+]*[\w@*]|\\\n|${LETTER})`,
  "su",
);

/** Records text that the parser reads as no expansion, but a shell may. */
export function noteFlagged(walk: WalkState, text: string): void {
  if (FLAGGED.test(text))
    noteUnknown(walk, "syntax", `shell syntax in ${quote(text)}, which may be an expansion`);
}

const NO_END = /^(?:[^\\]|\\.)*?\$[[{]/s;

// The rest of an unterminated expansion, or operators that bash does not accept as text.
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
