import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";
import { visitArithmeticText, visitWord } from "./expansions.ts";
import { refusedOperand } from "../parse/refused-text.ts";
import type { TestExpression, WordNode } from "../parse/syntax.ts";

const NUMERIC = /^-(eq|ne|lt|le|gt|ge)$/;

/** Collects what the words of `[[ … ]]` run and evaluate. */
export function visitTest(walk: WalkState, expression: TestExpression): void {
  const open: TestExpression[] = [expression];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    walk.nodes++;
    switch (node.type) {
      case "TestUnary":
        noteRefused(walk, node.operand);
        visitWord(walk, node.operand);
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
        visitWord(walk, node.left);
        visitWord(walk, node.right);
        // To `sh` it is a redirection, which may overwrite the file on its right.
        if (/^[<>]$/.test(node.operator))
          noteUnknown(walk, "syntax", `${quote(node.operator)} in \`[[\``);
        if (NUMERIC.test(node.operator)) {
          visitArithmeticText(walk, sumOf(node.left.text));
          visitArithmeticText(walk, sumOf(node.right.text));
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

function noteRefused(walk: WalkState, word: WordNode): void {
  const text = refusedOperand(word);
  if (text !== undefined) noteUnknown(walk, "syntax", `shell syntax at ${quote(text)}`);
}

// Double quotes around a whole operand hide nothing: `[[ "$n" -gt 3 ]]`.
function sumOf(text: string): string {
  return /^"[^"\\`]*"$/.test(text) ? text.slice(1, -1) : text;
}
