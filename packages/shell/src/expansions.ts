import { doubt, quote, type Walk } from "./context.ts";
import { isOrdinary } from "./variables.ts";
import type { ArithmeticExpression, ParameterExpansionPart, WordNode, WordPart } from "./syntax.ts";

// Where bash drops quotes, or looks into them again.
const QUOTING = /['`]|\\(?![/.\w:-])|[<>]\(|\$\{[\s|]/;
const HIDING = /['"`\\]|\$\((?!\()|[<>]\(|\$\{[\s|]/;

/** Finds the substitutions of parts whose text does not matter. */
export function visitParts(walk: Walk, parts: readonly WordPart[] | undefined): void {
  if (parts === undefined) return;
  for (const part of parts) {
    walk.nodes++;
    switch (part.type) {
      case "CommandExpansion":
      case "ProcessSubstitution":
        (walk.pending ??= []).push(part);
        break;
      case "ParameterExpansion":
        visitParameter(walk, part);
        break;
      case "ArithmeticExpansion":
        visitArithmetic(walk, part.text.slice(part.text[1] === "[" ? 2 : 3, part.text[1] === "[" ? -1 : -2), part.expression);
        break;
      case "DoubleQuoted":
      case "LocaleString":
      case "Glob":
      case "ExtendedGlob":
      case "BraceExpansion":
        visitParts(walk, part.parts);
    }
  }
}

/** Finds the substitutions of a word whose text does not matter. */
export function visitWord(walk: Walk, word: WordNode | undefined): void {
  if (word !== undefined) visitParts(walk, word.parts);
}

/** Finds what a parameter expansion runs, and notes what nobody can see in it. */
export function visitParameter(walk: Walk, part: ParameterExpansionPart): void {
  const { index, operation, prefix, text } = part;
  if (index === undefined && operation === undefined && prefix === undefined) return;
  const evaluated = index !== undefined || operation?.type === "Slice";
  if ((evaluated ? HIDING : QUOTING).test(text.slice(2))) {
    doubt(walk, "syntax", `expansion ${quote(text)}, whose quotes bash reads in its own way`);
  }
  const all = index?.text === "@" || index?.text === "*";
  if (index !== undefined) {
    visitWord(walk, index);
    if (!all) visitSum(walk, index.text);
  }
  if (prefix === "!" && !all && operation?.type !== "Names") {
    doubt(walk, "dynamic_script", `expansion ${quote(text)} of a variable whose name is in another one`);
  }
  switch (operation?.type) {
    case "Default":
      visitWord(walk, operation.operand);
      if (operation.operator === "=" || operation.operator === ":=")
        doubt(walk, "state", `expansion ${quote(text)}, which sets a variable`);
      break;
    case "Remove":
      visitWord(walk, operation.operand);
      break;
    case "Transform":
      visitWord(walk, operation.operand);
      if (!/^[QUuLEKkAa]$/.test(operation.operand.text))
        doubt(walk, "dynamic_script", `expansion ${quote(text)}, which expands a value again`);
      break;
    case "CaseModification":
      visitWord(walk, operation.operand);
      break;
    case "Replace":
      visitWord(walk, operation.pattern);
      visitWord(walk, operation.replacement);
      break;
    case "Slice":
      visitWord(walk, operation.offset);
      visitWord(walk, operation.length);
      visitSum(walk, operation.offset.text);
      if (operation.length !== undefined) visitSum(walk, operation.length.text);
      break;
    case "Unknown":
      doubt(walk, "syntax", `expansion ${quote(text)}`);
  }
}

/** Finds what an arithmetic expression runs, and notes what it could run besides. */
export function visitArithmetic(walk: Walk, text: string | undefined, expression: ArithmeticExpression | undefined): void {
  if (text !== undefined) visitSum(walk, text);
  if (expression === undefined) {
    if (text !== undefined && text.trim() !== "") doubt(walk, "syntax", `arithmetic ${quote(text)}`);
    return;
  }
  const open: ArithmeticExpression[] = [expression];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    walk.nodes++;
    switch (node.type) {
      case "ArithmeticBinary":
        if (text === undefined && node.left.type === "ArithmeticWord" && SETS.test(node.operator)) setNames(walk, node.left.value);
        open.push(node.right, node.left);
        break;
      case "ArithmeticUnary":
        if (text === undefined && node.operand.type === "ArithmeticWord" && SETS.test(node.operator)) setNames(walk, node.operand.value);
        open.push(node.operand);
        break;
      case "ArithmeticTernary":
        open.push(node.alternate, node.consequent, node.test);
        break;
      case "ArithmeticGroup":
        open.push(node.expression);
        break;
      case "ArithmeticWord":
        if (text === undefined) visitSum(walk, node.value);
        visitParts(walk, node.parts);
        break;
      case "ArithmeticCommandExpansion":
        if (text === undefined) visitSum(walk, node.text);
        (walk.pending ??= []).push({ ...node, type: "CommandExpansion", script: node.script });
    }
  }
}

/** Notes text that bash evaluates as arithmetic, variables and what their values spell included. */
export function visitSum(walk: Walk, text: string): void {
  if (/^[\s\d+\-*%()]*$/.test(text)) return;
  if (HIDING.test(text)) doubt(walk, "syntax", `arithmetic ${quote(text)}, whose quotes and substitutions bash evaluates`);
  if (/\$[1-9@*]|\$\{[1-9@*!]/.test(text)) doubt(walk, "dynamic_script", `arithmetic ${quote(text)}, which evaluates an argument`);
  if (text.includes("HOME")) walk.home.changed = true;
  if (SETS.test(text)) setNames(walk, text);
  (walk.sums ??= []).push(text);
}

const SETS = /(^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/;

// Which of its names it sets is not worth telling apart.
function setNames(walk: Walk, text: string): void {
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    if (!isOrdinary(name)) doubt(walk, "state", `assignment to ${quote(name)}, which may change what later commands are`);
  }
}
