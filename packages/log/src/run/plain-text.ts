import { setImmediate as turnOfLoop } from "node:timers/promises";

/** A cyclic state has no end, and no sensible one is deeper than this. */
const MAX_DEPTH = 1_000;

/**
 * The text of plain data, from which exactly the same value can be parsed: keys in order, nothing left out. `undefined` for anything else.
 */
export function plainText(value: unknown): string | undefined {
  try {
    return Number.isNaN(rest(value, 0, Infinity)) ? undefined : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** How much is written at a time. */
export interface PieceSize {
  /** The most values that one call writes. */
  readonly values?: number;
  /** Characters after which to yield to other work: about a millisecond. */
  readonly characters?: number;
}

/** Returns what `plainText` returns, but yields to other work between pieces. The value must not change meanwhile. */
export async function plainTextInPieces(
  value: unknown,
  { values = 5_000, characters = 100_000 }: PieceSize = {},
): Promise<string | undefined> {
  const parts: string[] = [];
  let written = 0;
  try {
    for (const part of piecesOf(value, 0, values)) {
      parts.push(part);
      written += part.length;
      if (written < characters) continue;
      written = 0;
      await turnOfLoop();
    }
  } catch {
    return undefined;
  }
  return parts.join("");
}

function* piecesOf(value: unknown, depth: number, most: number): Generator<string, void> {
  const left = rest(value, depth, most);
  if (Number.isNaN(left)) throw new Error("The value is not plain data");
  if (left >= 0) {
    yield JSON.stringify(value);
    return;
  }
  const list = Array.isArray(value);
  let before = list ? "[" : "{";
  for (const [key, item] of Object.entries(value as object)) {
    yield list ? before : `${before}${JSON.stringify(key)}:`;
    yield* piecesOf(item, depth + 1, most);
    before = ",";
  }
  yield list ? "]" : "}";
}

/** `most` minus the number of values in plain data: below 0 if it has more than `most`, NaN if it is not plain. */
function rest(value: unknown, depth: number, most: number): number {
  let left = most - 1;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return left;
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0) ? left : Number.NaN;
  if (typeof value !== "object" || depth > MAX_DEPTH) return Number.NaN;
  const keys = Object.keys(value);
  // No non-enumerable properties and no symbols. A list has `length` too, and no gaps.
  const list = Array.isArray(value);
  if (
    Reflect.ownKeys(value).length !== keys.length + (list ? 1 : 0) ||
    (list && keys.length !== value.length)
  )
    return Number.NaN;
  if (Object.getPrototypeOf(value) !== (list ? Array.prototype : Object.prototype))
    return Number.NaN;
  for (const key of keys) {
    left = rest((value as Readonly<Record<string, unknown>>)[key], depth + 1, left);
    if (!(left >= 0)) return left;
  }
  return left;
}
