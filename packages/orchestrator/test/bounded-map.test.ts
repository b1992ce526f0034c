import { expect, it } from "vitest";
import { setBounded } from "../src/service/bounded-map.ts";

it("the entry set longest ago is dropped, and setting an entry again renews it", () => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
    ["c", 4],
  ] as const)
    setBounded(map, key, value, 2);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
