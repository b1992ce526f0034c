import { createRequire } from "node:module";
import { Language, Parser, type Node } from "web-tree-sitter";

/** Finds the command names of a line. Undefined if the parser does not understand the line. */
export type NamesOf = (line: string) => readonly string[] | undefined;

/** A second bash parser, whose mistakes differ from those of the parser in the shell package. */
export async function createSecondParser(): Promise<NamesOf> {
  await Parser.init();
  const { resolve } = createRequire(import.meta.url);
  const parser = new Parser();
  parser.setLanguage(await Language.load(resolve("tree-sitter-bash/tree-sitter-bash.wasm")));
  return (line) => {
    const tree = parser.parse(line);
    try {
      if (tree === null || tree.rootNode.hasError) return undefined;
      const names = tree.rootNode.descendantsOfType("command_name").map(literalOf);
      return names.flatMap((name) => (name === undefined || name === "" ? [] : [name]));
    } finally {
      tree?.delete();
    }
  };
}

// The text of a word without its quotes; undefined if bash expands a part of it.
function literalOf(node: Node): string | undefined {
  switch (node.type) {
    case "word":
    case "number":
      return /[*?[\]{}~$`]/.test(node.text) ? undefined : node.text.replaceAll(/\\(.)/gs, "$1");
    case "raw_string":
      return node.text.slice(1, -1);
    case "string":
      return /[\\$`]/.test(node.text) ? undefined : node.text.slice(1, -1);
    case "concatenation":
    case "command_name": {
      const parts = node.children.map(literalOf);
      return parts.includes(undefined) ? undefined : parts.join("");
    }
    default:
      return undefined;
  }
}
