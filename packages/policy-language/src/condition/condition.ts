import type { Engine, TopLevelCondition } from "json-rules-engine";

/** A condition in the format of json-rules-engine. */
export type Condition<Leaf extends object> =
  | { readonly all: readonly Condition<Leaf>[] }
  | { readonly any: readonly Condition<Leaf>[] }
  | { readonly not: Condition<Leaf> }
  | Leaf;

/** A comparison with a fact, or with the value at `path` in the fact. */
export interface Comparison {
  readonly fact: string;
  readonly path?: string;
  readonly operator: string;
  readonly value: unknown;
}

/** The names and indexes of a path. */
export type FactPath = readonly (string | number)[];

export interface ConditionOptions {
  /** Splits a path into names and indexes. */
  readonly stepsOf: (path: string) => FactPath;
  /**
   * Whether an operator can compare a value. A comparison that is not possible makes the condition fail: it counts as
   * false, and below an odd number of `not` as true. Default: the engine compares every value in its own way.
   */
  readonly comparable?: (value: unknown, operator: string) => boolean;
}

/** Evaluates a condition over facts. Rejects if the engine fails. */
export type ConditionTest = (facts: Record<string, unknown>) => Promise<boolean>;

// Loaded on first use, because most policies have no condition.
let library: Promise<{ readonly Engine: typeof Engine }> | undefined;
const load = (): Promise<{ readonly Engine: typeof Engine }> =>
  (library ??= import("json-rules-engine"));

/** The comparisons of a condition, in the order of the text. */
export function leavesOf<Leaf extends object>(node: Condition<Leaf>): readonly Leaf[] {
  if ("all" in node) return node.all.flatMap((item) => leavesOf(item));
  if ("any" in node) return node.any.flatMap((item) => leavesOf(item));
  return "not" in node ? leavesOf(node.not) : [node];
}

/** Replaces every comparison of a condition. `negated` tells whether it is below an odd number of `not`. */
export function mapLeaves<From extends object, To extends object>(
  node: Condition<From>,
  change: (leaf: From, negated: boolean) => To,
  negated = false,
): Condition<To> {
  if ("all" in node) return { all: node.all.map((item) => mapLeaves(item, change, negated)) };
  if ("any" in node) return { any: node.any.map((item) => mapLeaves(item, change, negated)) };
  return "not" in node ? { not: mapLeaves(node.not, change, !negated) } : change(node, negated);
}

/**
 * Returns the value that the steps lead to, through own keys and list indexes. A function counts as undefined,
 * because the engine calls functions.
 */
export function valueAt(from: unknown, steps: FactPath): unknown {
  let value = from;
  for (const step of steps) {
    const fits = Array.isArray(value) === (typeof step === "number");
    if (typeof value !== "object" || value === null || !fits || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return typeof value === "function" ? undefined : value;
}

/** Compiles a condition for json-rules-engine. */
export function compileCondition(
  source: Condition<Comparison>,
  { stepsOf, comparable }: ConditionOptions,
): ConditionTest {
  const leaves = leavesOf(source);
  const operators = new Set(leaves.map(({ operator }) => operator));
  const ways = new Map(
    leaves.flatMap(({ path }) => (path === undefined ? [] : [[path, stepsOf(path)] as const])),
  );
  const guarded = mapLeaves(source, (leaf, negated) =>
    comparable === undefined
      ? leaf
      : { ...leaf, operator: `${guardOf(leaf.operator, negated)}:${leaf.operator}` },
  );
  // The engine needs a group at the top.
  const conditions = { all: [guarded] } as TopLevelCondition;
  const pathResolver = (value: object, path: string): unknown =>
    valueAt(value, ways.get(path) ?? []);
  return async (facts) => {
    const { Engine } = await load();
    // One engine for each run, because a run that ends stops all other runs of its engine, and they never return a result.
    const engine = new Engine([{ conditions, event: { type: "condition" } }], {
      allowUndefinedFacts: true,
      pathResolver,
    });
    if (comparable !== undefined)
      for (const operator of operators) addGuards(engine, operator, comparable);
    const { results, failureResults } = await engine.run(facts);
    if (results.length + failureResults.length !== 1)
      throw new Error("json-rules-engine did not return exactly one result");
    return results.length === 1;
  };
}

const guardOf = (operator: string, negated: boolean): string =>
  `${negated ? "unknownOr" : "knownAnd"}-${operator}`;

function addGuards(
  engine: Engine,
  operator: string,
  comparable: (value: unknown, operator: string) => boolean,
): void {
  engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(
    guardOf(operator, false),
    (value, wanted, next) => comparable(value, operator) && next(value, wanted),
  );
  engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(
    guardOf(operator, true),
    (value, wanted, next) => !comparable(value, operator) || next(value, wanted),
  );
}
