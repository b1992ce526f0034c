import * as fc from "fast-check";
import { expect, test } from "vitest";
import { policyOptions } from "../src/options.ts";
import { plainOptions } from "../src/plain-options.ts";

/** Mostly one of these values, else any other JavaScript value. */
const mostly = (...good: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...good), weight: 30 },
    fc.constantFrom(
      "",
      undefined,
      null,
      new Map(),
      new Date(0),
      ["a", undefined],
      Array.from({ length: 1 }),
    ),
    fc.jsonValue({ maxDepth: 1 }),
  );
const list = mostly([], ["a"], ["a", "b"]);
const record = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom("bash", "constructor", "__proto__", ""), item, { maxKeys: 2 });
const tool = fc.record(
  { read: list, write: list, patches: list, globs: list, cwd: mostly(true, false) },
  { requiredKeys: [] },
);
const options = fc.record(
  {
    files: list,
    discover: mostly("all", "admin", "none"),
    text: mostly("default = 'deny'"),
    compiled: list,
    operator: mostly(true, false),
    workspace: mostly("/srv/agents"),
    tools: fc.record(
      { shell: record(mostly("command")), files: record(tool), network: record(mostly("url")) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const unknownKey = fc.record({ files: list, file: list });

test("accepts the same as the schema, and returns the same", () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.oneof({ arbitrary: options, weight: 10 }, unknownKey, mostly({})), (given) => {
      const found = plainOptions(given);
      if (found === undefined) return;
      plain += 1;
      expect(found).toEqual(policyOptions.parse(given));
    }),
    { numRuns: 5_000 },
  );
  expect(plain).toBeGreaterThan(500);
});

test("options that are changed later have no effect", () => {
  const files = ["a.toml"];
  const found = plainOptions({ files });
  files.push("b.toml");
  expect(found?.files).toEqual(["a.toml"]);
});

test("a key that only a prototype has is no option", () => {
  expect(plainOptions(Object.create({ operator: true }))).toBe(undefined);
  expect(plainOptions({ operator: true, [Symbol("x")]: 1 })).toBe(undefined);
});
