/** The fields of a call that a condition may ask about. */
export const WHEN_FACTS = [
  ...([
    "tool",
    "server",
    "args",
    "agent",
    "task",
    "phase",
    "cwd",
    "workspace",
    "interactive",
    "approval_mode",
  ] as const),
  ...(["annotations", "claims", "host"] as const),
] as const;
export type WhenFact = (typeof WHEN_FACTS)[number];

/** The operators, each with the kind of value that it can compare. */
export const WHEN_OPERATORS = {
  equal: "scalar",
  notEqual: "scalar",
  in: "scalar",
  notIn: "scalar",
  contains: "list",
  doesNotContain: "list",
  lessThan: "number",
  lessThanInclusive: "number",
  greaterThan: "number",
  greaterThanInclusive: "number",
} as const;
export type WhenOperator = keyof typeof WHEN_OPERATORS;
export type WhenKind = (typeof WHEN_OPERATORS)[WhenOperator];

type Scalar = string | number | boolean;

interface Comparison {
  readonly operator: WhenOperator;
  readonly value: Scalar | readonly Scalar[];
  readonly path?: string;
}

/** A comparison with a field of the call. */
interface FactLeaf extends Comparison {
  readonly fact: WhenFact;
}

/** A comparison with the state of a projection, or with the value at `path` in that state. */
export interface StateLeaf extends Comparison {
  readonly projection: string;
}

/** One comparison. */
export type WhenLeaf = FactLeaf | StateLeaf;

/** A condition over a call and the state of its run, as written. */
export type WhenSource =
  | { readonly all: readonly WhenSource[] }
  | { readonly any: readonly WhenSource[] }
  | { readonly not: WhenSource }
  | WhenLeaf;

// A path has only names and indexes. A filter or a script in a path would be code.
const STEP = /\.([A-Za-z_][\w-]*)|\['([^'\\\u0000-\u001f]+)'\]|\[(0|[1-9]\d{0,8})\]/g;
/** A path into a fact. It has only names and indexes. */
export const WHEN_PATH = new RegExp(`^\\$(?:${STEP.source})*$`);

/** Splits a path into its names and indexes. */
export const stepsOf = (path: string): readonly (string | number)[] =>
  Array.from(path.matchAll(STEP), ([, name, quoted, index]) => name ?? quoted ?? Number(index));
