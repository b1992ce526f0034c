import { isNumber } from "./assignments.ts";
import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";
import { visitArithmetic, visitArithmeticText, visitWord } from "./expansions.ts";
import { noteShArithmetic, noteShPipe, visitLaterOperand } from "./sh-commands.ts";
import { refusedOperand } from "../parse/refused-text.ts";
import type { Node, TestExpression, WordNode } from "../parse/syntax.ts";

const NUMERIC = /^-(eq|ne|lt|le|gt|ge)$/;

/** Collects what the words of `[[ … ]]` run and evaluate. */
export function visitTest(walk: WalkState, expression: TestExpression): void {
  const open: TestExpression[] = [expression];
  const first = firstOf(expression);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    walk.nodes++;
    switch (node.type) {
      case "TestUnary":
        noteRefused(walk, node.operand);
        // `[[ x ]]` is short for `[[ -n x ]]`.
        if (node !== first && node.pos === node.operand.pos) visitLaterOperand(walk, node.operand);
        else visitWord(walk, node.operand);
        // zsh evaluates the number.
        if (node.operator === "-t") visitArithmeticText(walk, sumOf(node.operand.text));
        if (
          (node.operator === "-v" || node.operator === "-R") &&
          !/^\w+$/.test(node.operand.text)
        ) {
          noteUnknown(
            walk,
            "dynamic_script",
            `name ${quote(node.operand.text)}, whose subscript bash evaluates`,
          );
        }
        break;
      case "TestBinary":
        noteRefused(walk, node.left);
        if (node === first) visitWord(walk, node.left);
        else visitLaterOperand(walk, node.left);
        visitWord(walk, node.right);
        if (node.operator === "=~") noteShPipe(walk, node.right);
        // To `sh` it is a redirection, which may overwrite the file on its right.
        if (/^[<>]$/.test(node.operator))
          noteUnknown(walk, "syntax", `${quote(node.operator)} in \`[[\``);
        if (NUMERIC.test(node.operator)) {
          for (const word of [node.left, node.right])
            if (!isNumber(walk, word)) visitArithmeticText(walk, sumOf(word.text));
        }
        break;
      case "TestLogical":
        open.push(...node.operands);
        break;
      case "TestNot":
        open.push(node.operand);
        break;
      case "TestGroup":
        open.push(node.expression);
    }
  }
}

// The operand that comes first in the text.
function firstOf(expression: TestExpression): TestExpression {
  let node = expression;
  for (;;) {
    const inner =
      node.type === "TestLogical"
        ? node.operands[0]
        : node.type === "TestNot"
          ? node.operand
          : node.type === "TestGroup"
            ? node.expression
            : undefined;
    if (inner === undefined) return node;
    node = inner;
  }
}

/** Collects what `((…))` runs and evaluates. */
export function visitArithmeticCommand(
  walk: WalkState,
  { body, expression }: Extract<Node, { type: "ArithmeticCommand" }>,
): void {
  visitArithmetic(walk, body, expression);
  noteShArithmetic(walk, body);
}

function noteRefused(walk: WalkState, word: WordNode): void {
  const text = refusedOperand(word);
  if (text !== undefined) noteUnknown(walk, "syntax", `shell syntax at ${quote(text)}`);
}

// Double quotes around a whole operand hide nothing: `[[ "$n" -gt 3 ]]`.
function sumOf(text: string): string {
  return /^"[^"\\`]*"$/.test(text) ? text.slice(1, -1) : text;
}
