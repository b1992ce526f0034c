import type { Assignment, Word } from "../analysis.ts";
import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";
import { visitArithmeticText, visitWord } from "./expansions.ts";
import type { AssignmentNode, WordNode, WordPart } from "../parse/syntax.ts";
import { relativeValue } from "./folder-path.ts";
import { printsCount } from "./units.ts";
import { isComputed, isOrdinary, isTable, roleOf } from "./variables.ts";
import { oneWord } from "./words.ts";

/** Reads an assignment, including the substitutions in its subscript and value. */
export function readAssignment(walk: WalkState, node: AssignmentNode): Assignment {
  const { name, index, value } = node;
  if (name === "HOME") walk.home.folderAfterCd = true;
  if (index !== undefined || value.type === "ArrayValue") noteTable(walk, name);
  if (index !== undefined) {
    visitWord(walk, index);
    visitArithmeticText(walk, index.text);
  }
  if (value.type === "ArrayValue") {
    let safe = true;
    for (const element of value.elements) {
      visitWord(walk, element);
      if (element.text.startsWith("["))
        visitArithmeticText(walk, element.text.slice(1, element.text.indexOf("]=")));
      safe &&= isNumber(walk, element);
    }
    if (!safe) markUntrusted(walk, name);
    return classifyAssignment(walk, name, {
      text: undefined,
      pieces: [{ hole: "any" }],
      single: false,
    });
  }
  if (!isNumber(walk, value)) markUntrusted(walk, name);
  const word = oneWord(walk, value);
  // Assigned values are neither split nor globbed.
  return classifyAssignment(walk, name, word.single ? word : { ...word, single: true });
}

/** Records that entries of this table may be set. */
export function noteTable(walk: WalkState, name: string): void {
  if (isTable(name))
    noteUnknown(walk, "state", `assignment to ${quote(name)}, in which zsh keeps what names mean`);
}

/** Classifies an assignment by what it changes for later commands. */
export function classifyAssignment(
  walk: WalkState,
  name: string,
  value: Word | undefined,
): Assignment {
  const role = roleOf(name, value && relativeValue(walk, value));
  if (role === "state")
    noteUnknown(
      walk,
      "state",
      `assignment to ${quote(name)}, which changes what later commands do`,
    );
  else if (role === "code") noteUnknown(walk, "inline_code", `code in the value of ${quote(name)}`);
  else if (role === "command" && value !== undefined) (walk.values ??= []).push(value);
  if (isComputed(name, value))
    noteUnknown(walk, "dynamic_script", `value of ${quote(name)}, which the shell evaluates`);
  if (name === "CDPATH") walk.flowUnknown = true;
  return { name, value, harmless: role === "harmless" };
}

/** Records a variable that is set to an unknown value. */
export function setName(walk: WalkState, name: string, kind: { readonly number: boolean }): void {
  walk.variables.setElsewhere(name.replace(/\[.*/s, ""));
  noteSet(walk, name, kind);
}

/** Records what setting a variable changes, apart from its value. */
export function noteSet(
  walk: WalkState,
  name: string,
  { number }: { readonly number: boolean },
): void {
  const bare = name.replace(/\[.*/s, "");
  if (bare === "HOME") walk.home.folderAfterCd = true;
  if (bare === "CDPATH") walk.flowUnknown = true;
  if (!number) markUntrusted(walk, bare);
  if (!isOrdinary(bare))
    noteUnknown(
      walk,
      "state",
      `assignment to ${quote(bare)}, which may change what later commands do`,
    );
}

/** Records that a variable may hold any text. */
export function markUntrusted(walk: WalkState, name: string): void {
  (walk.untrusted ??= new Set()).add(name);
}

/** Whether a value is a number, and not empty, whatever variables hold. */
export function isDigits({ text, parts = [] }: Pick<WordNode, "text" | "parts">): boolean {
  const [part, ...more] = parts;
  if (part === undefined || more.length > 0) return /^\d+$/.test(text);
  return part.type === "DoubleQuoted" ? isDigits(part) : part.type === "ArithmeticExpansion";
}

/** Whether arithmetic cannot run anything in this word. */
export function isNumber(
  walk: WalkState,
  { text, parts }: { readonly text: string; readonly parts?: readonly WordPart[] | undefined },
): boolean {
  if (/^[-+]?\d*$/.test(text)) return true;
  if (parts === undefined) return false;
  for (const part of parts) {
    if (part.type === "DoubleQuoted" && isNumber(walk, part)) continue;
    if (part.type === "CommandExpansion" && printsCount(walk, part)) continue;
    if (part.type === "ArithmeticExpansion" || (part.type === "Literal" && /^\d+$/.test(part.text)))
      continue;
    if (part.type === "SimpleExpansion" && /^\$[?#$!]$/.test(part.text)) continue;
    if (part.type !== "ParameterExpansion" || part.prefix !== "#") return false;
  }
  return true;
}
