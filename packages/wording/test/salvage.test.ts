import { keysAt, salvage, type KeySchema } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const step = z.strictObject({ id: z.string(), retries: z.int().min(0).optional() });
const schema = z.strictObject({
  mode: z.enum(["strict", "loose"]),
  steps: z.array(step).min(1),
  env: z.record(z.string().regex(/^[a-z]+$/), z.strictObject({ run: z.string() })).optional(),
});
const known = z.toJSONSchema(schema) as KeySchema;
const left = (data: unknown) => salvage(schema, data, (path) => keysAt(known, path));
const whole = { mode: "loose", steps: [{ id: "a" }] };

describe("the usable part of data that a schema rejects", () => {
  it.each<[what: string, given: unknown, data: unknown, faults: number]>([
    ["nothing is missing where nothing is wrong", whole, whole, 0],
    ["a wrong value is left out", { ...whole, steps: [{ id: "a", retries: -1 }] }, whole, 1],
    ["a misspelt key counts", { ...whole, steps: [{ idd: "a" }] }, whole, 1],
    ["an unknown key is left out", { ...whole, colour: 1 }, whole, 1],
    ["a missing word has a stand-in", { steps: whole.steps }, { ...whole, mode: "strict" }, 1],
    [
      "a wrong item keeps its place",
      { ...whole, steps: [7] },
      { ...whole, steps: [{ id: "unknown" }] },
      1,
    ],
    [
      "a name that is none is left out",
      { ...whole, env: { "A B": { run: "x" } } },
      { ...whole, env: {} },
      1,
    ],
    [
      "what a name stands for may be mended",
      { ...whole, env: { a: {} } },
      { ...whole, env: { a: { run: "unknown" } } },
      1,
    ],
    ["too little is left", { ...whole, steps: [] }, undefined, 1],
    ["a text has nothing", "x", undefined, 1],
  ])("%s", (_, given, data, faults) => {
    const found = left(given);
    expect([found.data, found.issues.length]).toEqual([data, faults]);
  });

  it("a replaced value is known, with everything below it", () => {
    const { isReplaced } = left({ ...whole, steps: [{ id: "a", retries: -1 }, 7] });
    const paths = [["steps"], ["steps", 0], ["steps", 0, "retries"], ["steps", 1, "id"]];
    expect(paths.map(isReplaced)).toEqual([false, false, true, true]);
  });

  it("a key like `__proto__` changes no prototype", () => {
    const given = JSON.parse(
      '{"mode":"loose","steps":[{"id":"a"}],"__proto__":{"x":1}}',
    ) as unknown;
    expect(left(given).data).toEqual(whole);
  });
});
