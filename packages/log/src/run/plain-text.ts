import { setImmediate as turnOfLoop } from "node:timers/promises";

/** A state that refers to itself has no end; none that is meant is as deep as this. */
const DEEPEST = 1_000;

/**
 * The text of plain data, from which the very same value is read again: keys in their order, nothing left out. `undefined` for anything
 * else.
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
  /** Values that are written by one call. */
  readonly values?: number;
  /** Characters after which others have their turn: about a millisecond. */
  readonly characters?: number;
}

/** What `plainText` says, in pieces, so that others have their turn in between. Nobody may change the value meanwhile. */
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

/** What is left of so many values after those that plain data has; below 0 where it has more, NaN where it is not plain. */
function rest(value: unknown, depth: number, most: number): number {
  let left = most - 1;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return left;
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0) ? left : Number.NaN;
  if (typeof value !== "object" || depth > DEEPEST) return Number.NaN;
  const keys = Object.keys(value);
  // Nothing that is hidden, and no symbols; of a list its length, and no gaps.
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
