import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LINE_LIMIT_BYTES, TOO_LONG, linesOf } from "../src/io/split-lines.ts";

async function* chunked(text: string, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  let from = 0;
  for (const cut of [...cuts.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  )) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

async function read(chunks: AsyncIterable<Buffer>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const some of linesOf(chunks)) {
    lines.push(...some.map((line) => (line === TOO_LONG ? "TOO LONG" : line.toString("utf8"))));
  }
  return lines;
}

test("the lines do not depend on how the bytes are split into chunks", async () => {
  const text = fc
    .array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("\n")))
    .map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(200)), async (whole, cuts) => {
      const wanted = whole.split("\n");
      if (wanted.at(-1) === "") wanted.pop();
      expect(await read(chunked(whole, cuts))).toEqual(wanted);
    }),
  );
});

test("a line over the limit is marked as too long, and the lines around it are complete", async () => {
  const long = "x".repeat(LINE_LIMIT_BYTES + 1);
  const limit = "y".repeat(LINE_LIMIT_BYTES);
  expect(await read(chunked(`a\n${long}\nb\n`, [5, 1_000, 9_000_000]))).toEqual([
    "a",
    "TOO LONG",
    "b",
  ]);
  expect(await read(chunked(`a\n${long}`, []))).toEqual(["a", "TOO LONG"]);
  expect(
    await read(chunked(`${long}${long}${long}\n${limit}\nc`, [17_000_000, 34_000_000])),
  ).toEqual(["TOO LONG", limit, "c"]);
});

test("lines come as soon as they are complete", async () => {
  async function* two(): AsyncGenerator<Buffer> {
    yield Buffer.from("a\nb");
    yield Buffer.from("c\n");
  }
  const seen: string[][] = [];
  for await (const some of linesOf(two())) seen.push(some.map(String));
  expect(seen).toEqual([["a"], ["bc"]]);
});
