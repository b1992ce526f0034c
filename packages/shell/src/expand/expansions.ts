import { noteUse, noteUses } from "./secrets.ts";
import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";
import { isOrdinary } from "./variables.ts";
import { isRefusedSum } from "../parse/refused-text.ts";
import type {
  ArithmeticExpression,
  ParameterExpansionPart,
  WordNode,
  WordPart,
} from "../parse/syntax.ts";

// Expansions in which bash drops or rescans quotes.
const QUOTING = /['`]|\\(?![/.\w:-])|[<>]\(|\$\{[\s|]/;
const HIDING = /['"`\\]|\$\((?!\()|[<>]\(|\$\{[\s|]/;

/** Collects the substitutions in parts of a word whose text does not matter. */
export function visitParts(walk: WalkState, parts: readonly WordPart[] | undefined): void {
  if (parts === undefined) return;
  for (const part of parts) {
    walk.nodes++;
    switch (part.type) {
      case "CommandExpansion":
      case "ProcessSubstitution":
        (walk.pending ??= []).push(part);
        break;
      case "SimpleExpansion":
        noteUse(walk, part.text.slice(1));
        break;
      case "ParameterExpansion":
        visitParameter(walk, part);
        if (part.prefix !== "#") noteUse(walk, part.parameter);
        break;
      case "ArithmeticExpansion":
        visitArithmetic(
          walk,
          part.text.slice(part.text[1] === "[" ? 2 : 3, part.text[1] === "[" ? -1 : -2),
          part.expression,
        );
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

/** Collects the substitutions in a word whose text does not matter. */
export function visitWord(walk: WalkState, word: WordNode | undefined): void {
  if (word !== undefined) visitParts(walk, word.parts);
}

/** Collects what a parameter expansion runs, and records its unknown parts. */
export function visitParameter(walk: WalkState, part: ParameterExpansionPart): void {
  const { index, operation, prefix, text } = part;
  if (index === undefined && operation === undefined && prefix === undefined) return;
  const evaluated = index !== undefined || operation?.type === "Slice";
  if ((evaluated ? HIDING : QUOTING).test(text.slice(2))) {
    noteUnknown(
      walk,
      "syntax",
      `expansion ${quote(text)}, whose quotes bash reads in a special way`,
    );
  }
  const all = index?.text === "@" || index?.text === "*";
  if (index !== undefined) {
    visitWord(walk, index);
    if (!all) visitArithmeticText(walk, index.text);
  }
  if (prefix === "!" && !all && operation?.type !== "Names") {
    noteUnknown(
      walk,
      "dynamic_script",
      `expansion ${quote(text)} of a variable named by another variable`,
    );
  }
  switch (operation?.type) {
    case "Default":
      noteQualifier(walk, operation.operand);
      visitWord(walk, operation.operand);
      if (operation.operator === "=" || operation.operator === ":=") noteAssignment(walk, part);
      break;
    case "Transform":
      visitWord(walk, operation.operand);
      if (!/^[QUuLEKkAa]$/.test(operation.operand.text))
        noteUnknown(
          walk,
          "dynamic_script",
          `expansion ${quote(text)}, which expands a value again`,
        );
      break;
    case "Remove":
    case "CaseModification":
      visitWord(walk, operation.operand);
      break;
    case "Replace":
      visitWord(walk, operation.pattern);
      noteQualifier(walk, operation.replacement);
      visitWord(walk, operation.replacement);
      break;
    case "Slice":
      // zsh reads `${f::=x}` as an assignment.
      if (text.includes("::=")) noteAssignment(walk, part);
      visitWord(walk, operation.offset);
      visitWord(walk, operation.length);
      visitArithmeticText(walk, operation.offset.text);
      if (operation.length !== undefined) visitArithmeticText(walk, operation.length.text);
      break;
    case "Unknown":
      noteUnknown(walk, "syntax", `expansion ${quote(text)}`);
  }
}

// zsh runs the command in `${x:-=(command)}`, and the one in `${x:-*(e:command:)}` for each file.
function noteQualifier(walk: WalkState, word: WordNode | undefined): void {
  if (word !== undefined && /[^\s$(]\(/.test(word.text))
    noteUnknown(walk, "syntax", `parentheses in ${quote(word.text)}, which zsh may run`);
}

function noteAssignment(walk: WalkState, { parameter, text }: ParameterExpansionPart): void {
  walk.variables.setElsewhere(parameter);
  noteUnknown(walk, "state", `expansion ${quote(text)}, which sets a variable`);
}

/** Collects what an arithmetic expression runs or may run. */
export function visitArithmetic(
  walk: WalkState,
  text: string | undefined,
  expression: ArithmeticExpression | undefined,
): void {
  if (text !== undefined) {
    visitArithmeticText(walk, text);
    const isRead = expression !== undefined && !isRefusedSum(text);
    if (!isRead && text.trim() !== "") noteUnknown(walk, "syntax", `arithmetic ${quote(text)}`);
  }
  if (expression === undefined) return;
  const open: ArithmeticExpression[] = [expression];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    walk.nodes++;
    switch (node.type) {
      case "ArithmeticBinary":
        if (text === undefined && node.left.type === "ArithmeticWord" && SETS.test(node.operator))
          setNames(walk, node.left.value);
        open.push(node.right, node.left);
        break;
      case "ArithmeticUnary":
        if (
          text === undefined &&
          node.operand.type === "ArithmeticWord" &&
          SETS.test(node.operator)
        )
          setNames(walk, node.operand.value);
        open.push(node.operand);
        break;
      case "ArithmeticTernary":
        open.push(node.alternate, node.consequent, node.test);
        break;
      case "ArithmeticGroup":
        open.push(node.expression);
        break;
      case "ArithmeticWord":
        if (text === undefined) visitArithmeticText(walk, node.value);
        visitParts(walk, node.parts);
        break;
      case "ArithmeticCommandExpansion":
        if (text === undefined) visitArithmeticText(walk, node.text);
        (walk.pending ??= []).push({ ...node, type: "CommandExpansion", script: node.script });
    }
  }
}

/** Records text that bash evaluates as arithmetic, including the values of its variables. */
export function visitArithmeticText(walk: WalkState, text: string): void {
  if (/^[\s\d+\-*%()]*$/.test(text)) return;
  noteUses(walk, text);
  if (HIDING.test(text))
    noteUnknown(
      walk,
      "syntax",
      `arithmetic ${quote(text)}, whose quotes and substitutions bash evaluates`,
    );
  if (/\$[1-9@*]|\$\{[1-9@*!]/.test(text))
    noteUnknown(walk, "dynamic_script", `arithmetic ${quote(text)}, which evaluates an argument`);
  if (text.includes("HOME")) walk.home.folderAfterCd = true;
  if (SETS.test(text)) setNames(walk, text);
  (walk.arithmeticTexts ??= []).push(text);
}

const SETS = /(^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/;

// Treats every name in the text as set.
function setNames(walk: WalkState, text: string): void {
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    walk.variables.setElsewhere(name);
    if (!isOrdinary(name))
      noteUnknown(
        walk,
        "state",
        `assignment to ${quote(name)}, which may change what later commands do`,
      );
  }
}

const HARMLESS_SUBSCRIPT = /^\[(?:-?\d+|[@*])\]/;

/** Records `"$f[…]"`, of which zsh evaluates the brackets. Outside quotes they are a glob. */
export function noteSubscript(walk: WalkState, part: WordPart, next = ""): void {
  if (
    part.type === "SimpleExpansion" &&
    /^(?:\\\n)*\[/.test(next) &&
    !HARMLESS_SUBSCRIPT.test(next)
  )
    noteUnknown(walk, "syntax", `brackets after ${quote(part.text)}, which zsh evaluates`);
}
