import { omitUndefined, type Json, type JsonObject, type ToolCall } from "@bylaw/kernel";
import {
  compileCondition,
  valueAt,
  leavesOf,
  mapLeaves,
  type Comparison,
  type FactPath,
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

/** A compiled condition (`when`) over a call and the state of its run. */
export interface When {
  /** The names of the projections that the condition asks about. */
  readonly projections: ReadonlySet<string>;
  /** Evaluates the condition with json-rules-engine. Without a run, no projection has a state. Rejects if the engine fails. */
  holds(call: ToolCall, run?: RunState): Promise<boolean>;
  /** The values that the condition reads from projections, by name and path. */
  states(run: RunState): JsonObject;
}

/** Compiles a condition. `allow`: a value that is missing, or that the operator cannot compare, never makes the condition hold. */
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
      // An allow must not depend on a run that is not recorded: anyone could invent its history.
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

// Each path into a projection becomes its own fact. If the state is no object, the engine ignores the path and takes
// the whole state.
const asFact = (leaf: WhenLeaf): Comparison =>
  "fact" in leaf ? leaf : { fact: keyOf(leaf), operator: leaf.operator, value: leaf.value };

/** The value of a projection's state that a comparison reads. */
interface Place {
  readonly projection: string;
  readonly steps: FactPath;
}

const placeOf = ({ projection, path }: StateLeaf): Place => ({
  projection,
  steps: path === undefined ? [] : stepsOf(path),
});

const stateAt = ({ projection, steps }: Place, run: RunState): unknown =>
  valueAt(run.stateOf(projection), steps);

// The space keeps this name apart from every field of a call.
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
