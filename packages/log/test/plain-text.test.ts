import { anything, assert, asyncProperty, jsonValue } from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText, plainTextInPieces } from "../src/run/plain-text.ts";

const PIECES = [{}, { values: 1, characters: 1 }, { values: 3, characters: 20 }];

describe("text in pieces", () => {
  it.each(PIECES)("is the text of the whole: %j", async (size) => {
    await assert(
      asyncProperty(jsonValue({ maxDepth: 6 }), async (value) => {
        // What is read from text has no negative zero.
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        return (
          (await plainTextInPieces(plain, size)) === JSON.stringify(plain) &&
          plainText(plain) === JSON.stringify(plain)
        );
      }),
    );
  });

  it.each(PIECES)("is that of plain data alone, wherever else there is none: %j", async (size) => {
    await assert(
      asyncProperty(
        anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSparseArray: true,
          withNullPrototype: true,
        }),
        async (value) =>
          Object.is(
            await plainTextInPieces([{ value }, "behind it"], size),
            plainText([{ value }, "behind it"]),
          ),
      ),
    );
  });

  const circle: { self?: unknown; list: number[] } = { list: [1, 2, 3] };
  circle.self = circle;
  const sparse: unknown[] = [1];
  sparse.length = 3;
  it.each<[string, unknown]>([
    ["a value that refers to itself", circle],
    ["a hidden field", Object.defineProperty({ a: 1 }, "b", { value: 2 })],
    ["a symbol", { a: 1, [Symbol("b")]: 2 }],
    ["a list with gaps", sparse],
    ["a list with a name", Object.assign([1], { name: "x" })],
    ["what is undefined", { a: undefined }],
    ["a way to be written otherwise", { toJSON: () => "x" }],
    ["a negative zero", [-0]],
  ])("has none for %s", async (_, value) => {
    expect(plainText(value)).toBeUndefined();
    for (const size of PIECES)
      expect(await plainTextInPieces([1, { value }], size)).toBeUndefined();
  });

  it("leaves others their turn", async () => {
    const large = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [
        `task-${at}`,
        { phase: "WORK", agents: ["ann", "bob"] },
      ]),
    );
    let turns = 0;
    let over = false;
    const turn = (): void => {
      turns += 1;
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    const text = await plainTextInPieces(large);
    over = true;
    expect(text).toBe(JSON.stringify(large));
    // A piece is about a hundred thousand characters.
    expect(turns).toBeGreaterThanOrEqual(Math.floor(JSON.stringify(large).length / 110_000));
  });
});
