import { omitUndefined, type Json, type JsonObject, type ToolCall } from "@bylaw/kernel";
import type { Engine, TopLevelCondition } from "json-rules-engine";
import type { RunState } from "../match/run-state.ts";
import {
  WHEN_OPERATORS,
  stepsOf,
  type StateLeaf,
  type WhenFact,
  type WhenKind,
  type WhenLeaf,
  type WhenSource,
} from "./when-source.ts";

/** A compiled condition over a call and the state of its run. */
export interface When {
  /** The projections that it asks about. */
  readonly projections: ReadonlySet<string>;
  /** Whether it holds, by json-rules-engine. Without a run no projection has a state. Rejects when the engine fails. */
  holds(call: ToolCall, run?: RunState): Promise<boolean>;
  /** What it sees of the projections, by name and path. */
  states(run: RunState): JsonObject;
}

// Policies without conditions, and so most starts, do without it.
let library: Promise<{ readonly Engine: typeof Engine }> | undefined;
const load = (): Promise<{ readonly Engine: typeof Engine }> =>
  (library ??= import("json-rules-engine"));

/** Compiles a condition. `allow`: what is missing, or of a kind that the operator cannot compare, never satisfies it. */
export function compileWhen(source: WhenSource, { allow }: { readonly allow: boolean }): When {
  const leaves = leavesOf(source);
  const names = new Set(leaves.flatMap((leaf) => ("fact" in leaf ? [leaf.fact] : [])));
  const places = new Map(
    leaves.flatMap((leaf) => ("fact" in leaf ? [] : [[keyOf(leaf), leaf] as const])),
  );
  const ways = new Map(
    leaves.flatMap(({ path }) => (path === undefined ? [] : [[path, stepsOf(path)] as const])),
  );
  const conditions = settled(source, { guard: allow, negated: false }) as TopLevelCondition;
  const pathResolver = (value: object, path: string): unknown =>
    follow(value, ways.get(path) ?? []);
  const stateAt = ({ projection, path }: StateLeaf, run: RunState): unknown => {
    const state = run.stateOf(projection);
    return path === undefined ? state : follow(state, ways.get(path) ?? []);
  };
  return {
    projections: new Set([...places.values()].map(({ projection }) => projection)),
    states: (run) =>
      omitUndefined(
        Object.fromEntries(
          [...places].map(([key, leaf]) => [key, stateAt(leaf, run) as Json | undefined]),
        ),
      ) as JsonObject,
    async holds(call, run) {
      const { Engine } = await load();
      // One for each run: an engine that ends one run stops the others that it is in, and they answer nothing.
      const engine = new Engine([{ conditions, event: { type: "when" } }], {
        allowUndefinedFacts: true,
        pathResolver,
      });
      if (allow) addGuards(engine);
      const facts = factsOf(call, names);
      // What no run has recorded satisfies no allow: whoever leaves the run away would be given what only its history can give.
      if (run !== undefined && (run.recorded || !allow)) {
        for (const [key, leaf] of places) {
          const value = stateAt(leaf, run);
          // The engine calls functions.
          if (value !== undefined && typeof value !== "function") facts[key] = value;
        }
      }
      const { results, failureResults } = await engine.run(facts);
      if (results.length + failureResults.length !== 1)
        throw new Error("json-rules-engine gave no result");
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
  scalar: (value) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean",
  list: Array.isArray,
  number: (value) => typeof value === "number",
};

// The condition as the engine takes it. What a projection's path reaches is a fact of its own: the engine would take the whole
// state where it is no table. With `guard` each comparison that cannot be made counts against the whole: as false, and as true
// below an odd number of `not`.
function settled(
  node: WhenSource,
  how: { readonly guard: boolean; readonly negated: boolean },
): object {
  if ("all" in node) return { all: node.all.map((item) => settled(item, how)) };
  if ("any" in node) return { any: node.any.map((item) => settled(item, how)) };
  if ("not" in node) return { not: settled(node.not, { ...how, negated: !how.negated }) };
  const leaf = "fact" in node ? node : { fact: keyOf(node), value: node.value };
  const guard = how.guard
    ? `${how.negated ? "unknownOr" : "knownAnd"}-${WHEN_OPERATORS[node.operator]}:`
    : "";
  return { ...leaf, operator: `${guard}${node.operator}` };
}

// With a blank in it, so that no field of a call has this name.
const keyOf = ({ projection, path = "$" }: StateLeaf): string => `${projection} ${path}`;

function addGuards(engine: Engine): void {
  for (const [kind, comparable] of Object.entries(COMPARABLE)) {
    engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(
      `knownAnd-${kind}`,
      (a, b, next) => comparable(a) && next(a, b),
    );
    engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(
      `unknownOr-${kind}`,
      (a, b, next) => !comparable(a) || next(a, b),
    );
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
function follow(from: unknown, steps: readonly (string | number)[]): unknown {
  let value = from;
  for (const step of steps) {
    if (
      typeof value !== "object" ||
      value === null ||
      Array.isArray(value) !== (typeof step === "number")
    )
      return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
