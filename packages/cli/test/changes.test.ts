import * as fc from "fast-check";
import type { Json } from "@bylaw/kernel";
import { expect, test } from "vitest";
import { changesOf } from "../src/approve/changes.ts";

test.each<[string, Json, Json, readonly object[]]>([
  ["nothing", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["a value", { a: { b: 1 } }, { a: { b: 2 } }, [{ path: "a.b", before: 1, after: 2 }]],
  ["what is new", { a: 1 }, { a: 1, b: [] }, [{ path: "b", after: [] }]],
  ["what is gone", { a: 1, b: null }, { a: 1 }, [{ path: "b", before: null }]],
  [
    "an item of a list",
    ["x", "y"],
    ["x", "z", "w"],
    [
      { path: "1", before: "y", after: "z" },
      { path: "2", after: "w" },
    ],
  ],
  [
    "another kind of value",
    { a: ["x"] },
    { a: { 0: "x" } },
    [{ path: "a", before: ["x"], after: { 0: "x" } }],
  ],
  ["null and nothing", { a: null }, { a: {} }, [{ path: "a", before: null, after: {} }]],
])("finds %s", (_, before, after, changes) => {
  expect(changesOf(before, after)).toEqual(changes);
});

test("two values differ exactly where there is a change", () => {
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
