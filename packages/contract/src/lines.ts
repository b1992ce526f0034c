import { Findings } from "./findings.ts";
import { readSource, textOf } from "./source.ts";

/**
 * Returns a function that finds the line, from 1, of the key or item at the end of a path, or of
 * the nearest part above it. Never throws: in a text that cannot be read, everything is on line 1.
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
