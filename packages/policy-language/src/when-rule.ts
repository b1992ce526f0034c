import type { ToolCall } from "@bylaw/kernel";
import type { Engine, TopLevelCondition } from "json-rules-engine";
import { WHEN_OPERATORS, stepsOf, type WhenFact, type WhenKind, type WhenLeaf, type WhenSource } from "./when.ts";

/** A compiled condition over a call. */
export interface When {
  /** Whether it holds, by json-rules-engine. Rejects when the engine fails. */
  holds(call: ToolCall): Promise<boolean>;
}

// Policies without conditions, and so most starts, do without it.
let library: Promise<{ readonly Engine: typeof Engine }> | undefined;
const load = (): Promise<{ readonly Engine: typeof Engine }> => (library ??= import("json-rules-engine"));

/** Compiles a condition. `allow`: what is missing, or of a kind that the operator cannot compare, never satisfies it. */
export function compileWhen(source: WhenSource, { allow }: { readonly allow: boolean }): When {
  const leaves = leavesOf(source);
  const names = new Set(leaves.map(({ fact }) => fact));
  const ways = new Map(leaves.flatMap(({ path }) => (path === undefined ? [] : [[path, stepsOf(path)] as const])));
  const conditions = (allow ? guarded(source, false) : source) as TopLevelCondition;
  const pathResolver = (value: object, path: string): unknown => follow(value, ways.get(path) ?? []);
  return {
    async holds(call) {
      const { Engine } = await load();
      // One for each run: an engine that ends one run stops the others that it is in, and they answer nothing.
      const engine = new Engine([{ conditions, event: { type: "when" } }], { allowUndefinedFacts: true, pathResolver });
      if (allow) addGuards(engine);
      const { results, failureResults } = await engine.run(factsOf(call, names));
      if (results.length + failureResults.length !== 1) throw new Error("Unexpected silence of json-rules-engine, expected one result");
      return results.length === 1;
    },
  };
}

function leavesOf(node: WhenSource): readonly WhenLeaf[] {
  if ("all" in node) return node.all.flatMap(leavesOf);
  if ("any" in node) return node.any.flatMap(leavesOf);
  return "not" in node ? leavesOf(node.not) : [node];
}

const COMPARABLE: Readonly<Record<WhenKind, (value: unknown) => boolean>> = {
  scalar: (value) => typeof value === "string" || typeof value === "number" || typeof value === "boolean",
  list: Array.isArray,
  number: (value) => typeof value === "number",
};

// Each comparison that cannot be made counts against the whole: as false, and as true below an odd number of `not`.
function guarded(node: WhenSource, negated: boolean): object {
  if ("all" in node) return { all: node.all.map((item) => guarded(item, negated)) };
  if ("any" in node) return { any: node.any.map((item) => guarded(item, negated)) };
  if ("not" in node) return { not: guarded(node.not, !negated) };
  return { ...node, operator: `${negated ? "unknownOr" : "knownAnd"}-${WHEN_OPERATORS[node.operator]}:${node.operator}` };
}

function addGuards(engine: Engine): void {
  for (const [kind, comparable] of Object.entries(COMPARABLE)) {
    engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(`knownAnd-${kind}`, (a, b, next) => comparable(a) && next(a, b));
    engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(`unknownOr-${kind}`, (a, b, next) => !comparable(a) || next(a, b));
  }
}

const ABSENT: Partial<Record<WhenFact, unknown>> = { interactive: true, approval_mode: "ask" };

function factsOf(call: ToolCall, names: Iterable<WhenFact>): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  for (const name of names) {
    const value = (Object.hasOwn(call, name) ? call[name] : undefined) ?? ABSENT[name];
    if (value !== undefined) facts[name] = value;
  }
  return facts;
}

// Own keys of tables, and indexes of lists.
function follow(from: object, steps: readonly (string | number)[]): unknown {
  let value: unknown = from;
  for (const step of steps) {
    if (typeof value !== "object" || value === null || Array.isArray(value) !== (typeof step === "number")) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
