import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy, runStateOf, type RunState } from "../src/index.ts";
import { call } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const poolOf = (...rules: readonly RuleData[]) =>
  compilePolicy([policyOf(rules.map((rule, at) => ({ name: `r${at}`, ...rule })))]);
const leaf = (operator: string, value: unknown, path = "$.n", projection = "p"): RuleData =>
  ({ projection, path, operator, value }) as unknown as RuleData;
const stateIs = (states: Readonly<Record<string, unknown>>, recorded = true): RunState => ({
  recorded,
  stateOf: (name) => states[name],
});

async function holds(action: string, when: RuleData, run?: RunState): Promise<boolean> {
  const pool = poolOf({ action, tool: "t", when });
  const votes = await pool.evaluateConditional(call("t"), run);
  expect(await pool.evaluateConditionalByScan(call("t"), run)).toEqual(votes);
  return votes?.[0]?.effect === action;
}

describe("a condition over the state of a run", () => {
  test.each<[run: RunState | undefined, deny: boolean, allow: boolean]>([
    [stateIs({ p: { n: 3 } }), true, true],
    [stateIs({ p: { n: 4 } }), false, false],
    [stateIs({ p: {} }), false, false],
    [stateIs({ p: { n: "3" } }), false, false],
    [stateIs({ p: { n: 3 } }, false), true, false],
    [undefined, false, false],
  ])("%o", async (run, deny, allow) => {
    expect(await holds("deny", { all: [leaf("equal", 3)] }, run)).toBe(deny);
    expect(await holds("allow", { all: [leaf("equal", 3)] }, run)).toBe(allow);
  });
  test("reads the whole state without a path, or with `$`", async () => {
    for (const when of [
      { all: [{ projection: "p", operator: "equal", value: 7 }] },
      { all: [leaf("equal", 7, "$")] },
    ]) {
      expect(await holds("deny", when as RuleData, stateIs({ p: 7 }))).toBe(true);
      expect(await holds("deny", when as RuleData, stateIs({ p: { n: 7 } }))).toBe(false);
    }
  });
  test("never runs code in a state", async () => {
    let ran = 0;
    const run = stateIs({ p: { n: () => (ran += 1) } });
    expect(await holds("allow", { all: [leaf("notEqual", 9)] }, run)).toBe(false);
    expect(await holds("deny", { all: [leaf("equal", 1)] }, run)).toBe(false);
    expect(ran).toBe(0);
  });
  test("lists each projection once, with a rule that asks", () => {
    const pool = poolOf(
      {
        action: "deny",
        tool: "t",
        when: { all: [leaf("equal", 1), { not: { any: [leaf("equal", 1, "$.m", "q")] } }] },
      },
      { action: "deny", tool: "u", when: { all: [leaf("equal", 1)] } },
    );
    expect(
      Object.fromEntries([...pool.projections].map(([name, { name: rule }]) => [name, rule])),
    ).toEqual({ p: "r0", q: "r0" });
    expect(pool.conditional).toBe(true);
  });
  test("rejects for an unknown projection", async () => {
    const run = runStateOf(new Map(), () => {
      throw new Error("never asked");
    });
    await expect(
      poolOf({ action: "deny", tool: "t", when: { all: [leaf("equal", 1)] } }).evaluateConditional(
        call("t"),
        run,
      ),
    ).rejects.toThrow("No plugin declares the projection p");
  });
});

// The reference, written by hand: a deny uses the plain result, an allow never counts a value that it cannot see.
type Node =
  | { readonly all: readonly Node[] }
  | { readonly any: readonly Node[] }
  | { readonly not: Node }
  | Leaf;
interface Leaf {
  readonly projection: string;
  readonly path: string;
  readonly operator: string;
  readonly value: number;
}
const PLAIN: Readonly<Record<string, (a: unknown, b: number) => boolean>> = {
  equal: (a, b) => a === b,
  notEqual: (a, b) => a !== b,
  lessThan: (a, b) => typeof a === "number" && a < b,
  greaterThanInclusive: (a, b) => typeof a === "number" && a >= b,
};
const tree = fc.letrec<{ node: Node; leaf: Leaf }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    tie("leaf"),
    fc.record({ all: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie("node") }),
  ),
  leaf: fc.record({
    projection: fc.constantFrom("p", "q"),
    path: fc.constantFrom("$.n", "$.m"),
    operator: fc.constantFrom(...Object.keys(PLAIN)),
    value: fc.integer({ min: 0, max: 2 }),
  }),
})).node;
const state = fc.record(
  { n: fc.integer({ min: 0, max: 2 }), m: fc.integer({ min: 0, max: 2 }) },
  { requiredKeys: [] },
);

test("deny and allow equal the reference for any condition, state and kind of run", async () => {
  await fc.assert(
    fc.asyncProperty(
      tree,
      fc.record({ p: state, q: state }),
      fc.boolean(),
      async (node, states, recorded) => {
        const seen = ({ projection, path }: Leaf): unknown =>
          (states as Record<string, Record<string, unknown>>)[projection]?.[path.slice(2)];
        const expected = (at: Node, allow: boolean, negated: boolean): boolean => {
          if ("all" in at) return at.all.every((one) => expected(one, allow, negated));
          if ("any" in at) return at.any.some((one) => expected(one, allow, negated));
          if ("not" in at) return !expected(at.not, allow, !negated);
          const value = allow && !recorded ? undefined : seen(at);
          return allow && value === undefined
            ? negated
            : (PLAIN[at.operator]?.(value, at.value) ?? false);
        };
        const when = { all: [node] } as unknown as RuleData;
        const run = stateIs(states, recorded);
        expect(await holds("deny", when, run)).toBe(expected(node, false, false));
        expect(await holds("allow", when, run)).toBe(expected(node, true, false));
      },
    ),
    { numRuns: 300 },
  );
});
