import { parse, type ParsedScript, type PipelineNode } from "unbash";

export type {
  ArithmeticExpression,
  Assignment as AssignmentNode,
  Command as CommandNode,
  HereDoc,
  ParameterExpansionPart,
  ParsedScript,
  Pipeline,
  PipelineNode,
  AndOr,
  Redirection as RedirectionNode,
  Statement,
  TestExpression,
  Word as WordNode,
  WordPart,
} from "unbash";

/** A command of a pipeline. */
export type Node = Exclude<PipelineNode, { type: "Pipeline" }>;

/** A command that contains other commands, or a condition. */
export type CompoundNode = Exclude<PipelineNode, { type: "Pipeline" | "Command" }>;

// The parser reads a nested expansion again for each level around it.
const MAX_WORK = 400_000;
const MAX_DOCUMENTS = 256;

/** Parses a script. The tree contains its errors. Undefined if the parser fails or would take too long. */
export function parseScript(text: string): ParsedScript | undefined {
  if (text.length > 512 && (nesting(text) * text.length > MAX_WORK || isCrowded(text)))
    return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

// The parser rescans all here-documents of a line for each of them.
function isCrowded(text: string): boolean {
  let count = 0;
  for (
    let at = text.indexOf("<<");
    at >= 0 && count <= MAX_DOCUMENTS;
    at = text.indexOf("<<", at + 2)
  )
    count++;
  return count > MAX_DOCUMENTS;
}

// Nesting depth of brackets, quoted or not. A bracket closes only one of its kind: in `"a) ${x:-"a) ${x:-`, the braces are nested.
function nesting(text: string): number {
  const open = [0, 0, 0];
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = "([{)]}".indexOf(text.charAt(at));
    if (kind < 0) continue;
    const one = kind % 3;
    if (kind === one) {
      open[one] = (open[one] ?? 0) + 1;
      if (++depth > deepest) deepest = depth;
    } else if ((open[one] ?? 0) > 0) {
      open[one] = (open[one] ?? 0) - 1;
      depth--;
    }
  }
  return deepest;
}
