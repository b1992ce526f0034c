import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkedConfig } from "../src/config-schema.ts";
import { isPlain } from "../src/plain-config.ts";

const place = async () => undefined;

const GOOD = ["acme", "@acme/rules", "~a.b_c-d"];
const BAD = ["", "../acme", "Acme", "a".repeat(215), "@/x", "a\n"];

/** Mostly one of these values, otherwise any value that a file may have there. */
const mostly = (...good: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...good), weight: 12 },
    fc.constantFrom(...BAD),
    fc.jsonValue({ maxDepth: 1 }),
  );
const mostlyList = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: fc.array(item, { maxLength: 3 }), weight: 12 }, mostly(...GOOD));
const use = fc.oneof(
  mostly(...GOOD),
  fc.record(
    { use: mostly(...GOOD), options: mostly({}, { deep: [1] }) },
    { requiredKeys: ["use"] },
  ),
  fc.record({ use: mostly(...GOOD), option: mostly({}) }),
);
const configuration = fc.record(
  {
    $schema: mostly("./schema.json"),
    extends: mostlyList(mostly(...GOOD)),
    without: mostlyList(mostly("acme", "any text")),
    plugins: mostlyList(use),
    fallback: mostly("allow", "ask_user", "deny"),
    approval_mode: mostly("ask", "autoEdit", "yolo"),
    enforcement_mode: mostly("strict", "advisory"),
    deadline_ms: fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, fc.integer()),
    ...Object.fromEntries(
      ["extend", "toString"].map((key) => [
        key,
        fc.oneof({ arbitrary: fc.constant(undefined), weight: 20 }, fc.string()),
      ]),
    ),
  },
  { requiredKeys: [] },
);

test("the schema accepts everything that `isPlain` accepts, without changing it", async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(configuration, fc.jsonValue()), async (given) => {
      // Drops undefined values, because a file cannot have them.
      const value: unknown = JSON.parse(JSON.stringify(given));
      if (!isPlain(value)) return;
      plain += 1;
      const checked = await checkedConfig("bylaw.config.json", { value: value as never, place });
      const plugins = value.plugins?.map((use) => (typeof use === "string" ? { use } : use));
      expect(checked.faults).toEqual([]);
      expect(checked.config).toStrictEqual(plugins === undefined ? value : { ...value, plugins });
    }),
    { numRuns: 5_000 },
  );
  expect(plain).toBeGreaterThan(500);
});
