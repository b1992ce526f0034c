import { doubt, quote, type Walk } from "./context.ts";
import { visitSum, visitWord } from "./expansions.ts";
import type { TestExpression } from "./syntax.ts";

const NUMERIC = /^-(eq|ne|lt|le|gt|ge)$/;

/** Finds what the words of `[[ … ]]` run, and notes what bash evaluates in them. */
export function visitTest(walk: Walk, expression: TestExpression): void {
  const open: TestExpression[] = [expression];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    walk.nodes++;
    switch (node.type) {
      case "TestUnary":
        visitWord(walk, node.operand);
        if ((node.operator === "-v" || node.operator === "-R") && !/^\w+$/.test(node.operand.text)) {
          doubt(walk, "dynamic_script", `name ${quote(node.operand.text)}, whose subscript bash evaluates`);
        }
        break;
      case "TestBinary":
        visitWord(walk, node.left);
        visitWord(walk, node.right);
        if (NUMERIC.test(node.operator)) {
          visitSum(walk, sumOf(node.left.text));
          visitSum(walk, sumOf(node.right.text));
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

// Plain double quotes around an operand hide nothing: `[[ "$n" -gt 3 ]]`.
function sumOf(text: string): string {
  return /^"[^"\\`]*"$/.test(text) ? text.slice(1, -1) : text;
}
