import { omitUndefined, type Json, type JsonObject, type ToolCall } from "@bylaw/kernel";
import {
  compileCondition,
  follow,
  leavesOf,
  mapLeaves,
  type Comparison,
  type Steps,
} from "../condition/condition.ts";
import type { RunState } from "../match/run-state.ts";
import {
  WHEN_OPERATORS,
  stepsOf,
  type StateLeaf,
  type WhenFact,
  type WhenKind,
  type WhenLeaf,
  type WhenOperator,
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

/** Compiles a condition. `allow`: what is missing, or of a kind that the operator cannot compare, never satisfies it. */
export function compileWhen(source: WhenSource, { allow }: { readonly allow: boolean }): When {
  const leaves = leavesOf<WhenLeaf>(source);
  const names = new Set(leaves.flatMap((leaf) => ("fact" in leaf ? [leaf.fact] : [])));
  const places = new Map(
    leaves.flatMap((leaf) => ("fact" in leaf ? [] : [[keyOf(leaf), placeOf(leaf)] as const])),
  );
  const holds = compileCondition(
    mapLeaves<WhenLeaf, Comparison>(source, asFact),
    allow ? { stepsOf, comparable } : { stepsOf },
  );
  return {
    projections: new Set([...places.values()].map(({ projection }) => projection)),
    states: (run) =>
      omitUndefined(
        Object.fromEntries(
          [...places].map(([key, place]) => [key, stateAt(place, run) as Json | undefined]),
        ),
      ) as JsonObject,
    holds(call, run) {
      const facts = factsOf(call, names);
      // What no run has recorded satisfies no allow: whoever leaves the run away would be given what only its history can give.
      if (run !== undefined && (run.recorded || !allow)) {
        for (const [key, place] of places) {
          const value = stateAt(place, run);
          if (value !== undefined) facts[key] = value;
        }
      }
      return holds(facts);
    },
  };
}

const COMPARABLE: Readonly<Record<WhenKind, (value: unknown) => boolean>> = {
  scalar: (value) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean",
  list: Array.isArray,
  number: (value) => typeof value === "number",
};

const comparable = (value: unknown, operator: string): boolean =>
  COMPARABLE[WHEN_OPERATORS[operator as WhenOperator]](value);

// What a projection's path reaches is a fact of its own: the engine would take the whole state where it is no table.
const asFact = (leaf: WhenLeaf): Comparison =>
  "fact" in leaf ? leaf : { fact: keyOf(leaf), operator: leaf.operator, value: leaf.value };

/** What a comparison reads of the state of a run. */
interface Place {
  readonly projection: string;
  readonly steps: Steps;
}

const placeOf = ({ projection, path }: StateLeaf): Place => ({
  projection,
  steps: path === undefined ? [] : stepsOf(path),
});

const stateAt = ({ projection, steps }: Place, run: RunState): unknown =>
  follow(run.stateOf(projection), steps);

// With a blank in it, so that no field of a call has this name.
const keyOf = ({ projection, path = "$" }: StateLeaf): string => `${projection} ${path}`;

const ABSENT: Partial<Record<WhenFact, unknown>> = { interactive: true, approval_mode: "ask" };

function factsOf(call: ToolCall, names: Iterable<WhenFact>): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  for (const name of names) {
    const value = (Object.hasOwn(call, name) ? call[name] : undefined) ?? ABSENT[name];
    if (value !== undefined) facts[name] = value;
  }
  return facts;
}
