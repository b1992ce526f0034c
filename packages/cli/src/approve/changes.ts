import { isJsonObject, type Json } from "@bylaw/kernel";

/** One place in which two values differ. */
export interface Change {
  readonly path: string;
  /** The old value, left out if the path is new. */
  readonly before?: Json;
  /** The new value, left out if the path was removed. */
  readonly after?: Json;
}

/** The differences between two values: first in the order of the old value, then the new paths. */
export function changesOf(
  before: Json | undefined,
  after: Json | undefined,
  path = "",
): readonly Change[] {
  if (before === undefined || after === undefined) {
    if (before === after) return [];
    return [
      {
        path,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      },
    ];
  }
  const [left, right] = [partsOf(before), partsOf(after)];
  if (left === undefined || right === undefined || Array.isArray(before) !== Array.isArray(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) =>
    changesOf(left.get(key), right.get(key), path === "" ? key : `${path}.${key}`),
  );
}

function partsOf(value: Json): ReadonlyMap<string, Json> | undefined {
  if (Array.isArray(value))
    return new Map((value as readonly Json[]).map((item, index) => [String(index), item]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}
