import type { Word } from "../analysis.ts";
import { visitWord } from "./expansions.ts";
import {
  commitIn,
  globIn,
  isEcho,
  isPlainText,
  isTest,
  jobCountIn,
  lastJobIn,
} from "./printed-words.ts";
import { expandBraces, type Unit } from "./braces.ts";
import type { Substitution } from "./known-variables.ts";
import { noteUnknown, type WalkState } from "../walk/walk-state.ts";
import { foundAgain } from "../programs/found-files.ts";
import { NEW_FILE } from "../programs/path-of-word.ts";
import { LIMITS } from "../limits.ts";
import type { WordNode, WordPart } from "../parse/syntax.ts";
import { printsCount, SPLIT, unitsOf, variableOf } from "./units.ts";
import { argumentOf, wordOf } from "./word-of-units.ts";

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
  const expanded = quotedData(walk, node, words[0]);
  for (const units of bracesOf(walk, unitsOf(walk, expanded)))
    if (units.length > 0) words.push(argumentOf(walk, units));
  const word = words.at(-1);
  noteSubstitution(walk, node, "CommandExpansion", word);
  const [part, ...more] = node.parts ?? [];
  if (word?.text === NEW_FILE && more.length === 0 && part?.type !== "DoubleQuoted")
    words.splice(-1, 1, { ...word, optional: true });
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
  return wordOf(walk, unitsOf(walk, quotedCount(walk, node)));
}

// The word in quotes, if it is data to the program: without a count, `test` fails, and `echo` prints less. Any other program would
// read the next word in its place.
function quotedData(walk: WalkState, node: WordNode, program: Word | undefined): WordNode {
  if (!isEcho(program)) return isTest(program) ? quotedCount(walk, node) : node;
  const [part, more] = node.parts ?? [];
  const isPlain =
    part !== undefined && more === undefined && isPlainText(withSubstitutions(walk, node));
  return isPlain && part.type !== "DoubleQuoted" ? inQuotes(node, part) : quotedCount(walk, node);
}

// The word in quotes, if it is nothing but a count.
function quotedCount(walk: WalkState, node: WordNode): WordNode {
  const [part, more] = node.parts ?? [];
  if (part === undefined || more !== undefined) return node;
  const isCount =
    part.type === "CommandExpansion"
      ? printsCount(walk, part)
      : walk.variables.isCount(variableOf(part.text) ?? "");
  return isCount ? inQuotes(node, part) : node;
}

const inQuotes = (node: WordNode, part: WordPart): WordNode => ({
  ...node,
  parts: [
    { ...part, type: "DoubleQuoted", parts: [part] } as Extract<WordPart, { type: "DoubleQuoted" }>,
  ],
});

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
  const word = wordOf(walk, unitsOf(walk, isOpen ? inQuotes(node, part) : node));
  return { ...word, globbed: true, ...(isOpen ? { splits: true } : {}) };
}

// The word that stands for what a substitution prints, if that is known from its text.
function printedWord(walk: WalkState, node: WordNode, before: readonly Word[]): Word | undefined {
  const text = withSubstitutions(walk, node);
  if (!/\$[(!]|`/.test(text)) return undefined;
  const known = commitIn(text, before) ?? jobCountIn(text, before) ?? lastJobIn(text, before);
  const glob = globIn(text);
  if (known === undefined && glob === undefined) return undefined;
  visitWord(walk, node);
  if (known !== undefined) return known;
  const word = argumentOf(walk, [{ text: glob ?? "", quoted: false }]);
  return { ...word, splits: true, optional: true };
}

/** The text of a word in which each variable that holds the output of a substitution is replaced by that substitution. */
export const withSubstitutions = (walk: WalkState, { text }: WordNode): string =>
  text.replace(
    /\$(?:(\w+)|\{(\w+)\})/g,
    (whole, bare: string | undefined, braced: string | undefined) =>
      walk.variables.printedIn(bare ?? braced ?? "", walk) ?? whole,
  );

/** The substitution that is the whole value of an assignment, if its text tells what it prints, or `$!`. Undefined for any other value. */
export function printedBy(walk: WalkState, node: WordNode): Substitution | undefined {
  const text = withSubstitutions(walk, node).replace(/^"(.*)"$/s, "$1");
  const isSubstitution = /^\$\([^()]*\)$/.test(text) || /^`[^`]*`$/.test(text);
  const isKnown = isSubstitution && (isPlainText(text) || globIn(text) !== undefined);
  return isKnown || text === "$!" ? { text, folderChanges: walk.folderChanges } : undefined;
}
