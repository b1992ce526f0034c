import { Findings } from "./findings.ts";
import { readSource, textOf } from "./source.ts";

/**
 * Where the parts of a contract stand: the line, from 1, of the key or the item that a path of keys
 * and indexes ends in, or of the nearest part above it. Never throws; a text that cannot be read
 * has nothing but line 1.
 */
export function contractLines(
  input: string | Uint8Array,
): (path: readonly (string | number)[]) => number {
  const collected = new Findings("");
  const text = textOf(input, collected);
  const places = text === undefined ? undefined : readSource(text, collected)?.places;
  return (path) =>
    places === undefined
      ? 1
      : (typeof path.at(-1) === "number" ? places.value(path) : places.key(path)).line;
}
