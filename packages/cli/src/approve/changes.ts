import { isJsonObject, type Json } from "@bylaw/kernel";

/** One place in which two values differ. */
export interface Change {
  readonly path: string;
  /** Left out where it was not there. */
  readonly before?: Json;
  /** Left out where it is not there any more. */
  readonly after?: Json;
}

/** Where two values differ, in the order of the first one, then what is new. */
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
