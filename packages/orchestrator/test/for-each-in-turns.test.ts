import { expect, it } from "vitest";
import { forEachInTurns } from "../src/events/for-each-in-turns.ts";

it.each([
  ["after each item if each takes too long", -1, 5],
  ["never if all items are short", Infinity, 0],
])("yields to others %s, and keeps the order", async (_, at_once_ms, wanted) => {
  const [done, executions]: [number[], number[]] = [[], []];
  let over = false;
  const turn = (): void => {
    if (over) return;
    executions.push(done.length);
    setImmediate(turn);
  };
  setImmediate(turn);
  await forEachInTurns([1, 2, 3, 4, 5], (item) => done.push(item), at_once_ms);
  over = true;
  expect(done).toEqual([1, 2, 3, 4, 5]);
  expect(executions).toEqual(Array.from({ length: wanted }, (__, at) => at));
});

it("fails with the error of the work", async () => {
  const failing = forEachInTurns([1], () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
});
