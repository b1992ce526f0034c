import type { Assignment, Word } from "./analysis.ts";
import { doubt, quote, type Walk } from "./context.ts";
import { visitSum, visitWord } from "./expansions.ts";
import type { AssignmentNode, WordNode } from "./syntax.ts";
import { isComputed, isOrdinary, roleOf } from "./variables.ts";
import { oneWord } from "./words.ts";

/** Reads an assignment, with all that its subscript and its value run. */
export function readAssignment(walk: Walk, node: AssignmentNode): Assignment {
  const { name, index, value } = node;
  if (name === "HOME") walk.home.changed = true;
  if (index !== undefined) {
    visitWord(walk, index);
    visitSum(walk, index.text);
  }
  if (value.type === "ArrayValue") {
    let safe = true;
    for (const element of value.elements) {
      visitWord(walk, element);
      if (element.text.startsWith("[")) visitSum(walk, element.text.slice(1, element.text.indexOf("]=")));
      safe &&= isNumber(element);
    }
    if (!safe) taint(walk, name);
    return judge(walk, name, { text: undefined, pieces: [{ hole: "any" }], single: false });
  }
  if (!isNumber(value)) taint(walk, name);
  const word = oneWord(walk, value);
  // What is assigned is neither split nor matched against files.
  return judge(walk, name, word.single ? word : { ...word, single: true });
}

/** An assignment with what it does to what runs later. */
export function judge(walk: Walk, name: string, value: Word | undefined): Assignment {
  const role = roleOf(name, value);
  if (role === "state") doubt(walk, "state", `assignment to ${quote(name)}, which changes what later commands are`);
  else if (role === "code") doubt(walk, "inline_code", `code in the value of ${quote(name)}`);
  else if (role === "command" && value !== undefined) (walk.values ??= []).push(value);
  if (isComputed(name, value)) doubt(walk, "dynamic_script", `value of ${quote(name)}, which bash evaluates`);
  if (name === "CDPATH") walk.flowUnknown = true;
  return { name, value, harmless: role === "harmless" };
}

/** Notes a variable that something else than an assignment sets, to a value that is not looked at. */
export function setName(walk: Walk, name: string, { number }: { readonly number: boolean }): void {
  const bare = name.replace(/\[.*/s, "");
  if (bare === "HOME") walk.home.changed = true;
  if (bare === "CDPATH") walk.flowUnknown = true;
  if (!number) taint(walk, bare);
  if (!isOrdinary(bare)) doubt(walk, "state", `assignment to ${quote(bare)}, which may change what later commands are`);
}

/** Notes that a variable may hold any text. */
export function taint(walk: Walk, name: string): void {
  (walk.tainted ??= new Set()).add(name);
}

// Arithmetic finds nothing to run in it.
function isNumber(word: WordNode): boolean {
  if (/^[-+]?\d*$/.test(word.text)) return true;
  const { parts } = word;
  if (parts === undefined) return false;
  for (const part of parts) {
    if (part.type === "ArithmeticExpansion" || (part.type === "Literal" && /^\d+$/.test(part.text))) continue;
    if (part.type === "SimpleExpansion" && /^\$[?#$!]$/.test(part.text)) continue;
    if (part.type !== "ParameterExpansion" || part.prefix !== "#") return false;
  }
  return true;
}
