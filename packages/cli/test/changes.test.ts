import * as fc from "fast-check";
import type { Json } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { changesOf } from "../src/approve/changes.ts";

test.each<[string, Json, Json, readonly object[]]>(
  readCases<[string, Json, Json, object[]]>(import.meta, "finds"),
)("finds %s", (_, before, after, changes) => {
  expect(changesOf(before, after)).toEqual(changes);
});

test("the changes are exactly the paths where two values differ", () => {
  const same = (one: Json, other: Json): boolean => {
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
      return one === other;
    const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
    if (Array.isArray(one) !== Array.isArray(other) || left.length !== right.size) return false;
    return left.every(
      ([key, value]) => right.has(key) && same(value as Json, right.get(key) as Json),
    );
  };
  const json = fc
    .jsonValue({ noUnicodeString: false })
    .map((value) => JSON.parse(JSON.stringify(value)) as Json);
  fc.assert(
    fc.property(
      json,
      json,
      (one, other) => (changesOf(one, other).length === 0) === same(one, other),
    ),
  );
  fc.assert(fc.property(json, (one) => changesOf(one, structuredClone(one) as Json).length === 0));
});
