import { messageOf, type Json } from "@bylaw/kernel";
import { LineCounter, isMap, isPair, isScalar, isSeq, parseDocument, type Node } from "yaml";
import { plain, unreadable, type DataPath } from "./data-file.ts";
import { placeOf, type Place } from "./place.ts";

export function yamlValue(file: string, text: string): Json {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
  });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw unreadable(file, `Not valid YAML: ${messageOf(fault)}`, { line, column: col }, fault);
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch (cause) {
    throw unreadable(file, `Not valid YAML: ${messageOf(cause)}`, undefined, cause);
  }
  return plain(file, value);
}

/** The place of a part of a YAML or JSON text. */
export function yamlPlace(text: string, path: DataPath): Place | undefined {
  let node: Node | null = parseDocument(text).contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && item.key.value === step,
      );
      if (pair === undefined || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node) && typeof step === "number") {
      node = (node.items[step] ?? null) as Node | null;
      offset = node?.range?.[0] ?? offset;
    } else break;
  }
  return placeOf(text, offset);
}
