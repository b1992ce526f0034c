import type { Contract } from "@bylaw/contract";
import { treeEntries, treeGet, type Tree } from "@bylaw/log";
import { edgeKey, type Metrics, type Requests, type ToolUses } from "./metrics.ts";

/** A share of the requests that a gate answered. */
export interface Rate {
  /** From 0 to 1; `null` before the first answer. */
  readonly rate: number | null;
  readonly samples: number;
}

/** Every measure that a contract may name. */
export interface Measurements {
  /** By the phase that was left. */
  readonly phase_transition_time: Readonly<
    Record<
      string,
      { readonly count: number; readonly mean_seconds: number; readonly max_seconds: number }
    >
  >;
  readonly gate_pass_rate: Rate;
  readonly gate_block_rate: Rate;
  /** By phase, then by tool. */
  readonly tool_usage_by_phase: Readonly<Record<string, Readonly<Record<string, ToolUses>>>>;
  readonly artifact_validation_failures: {
    readonly total: number;
    readonly by_artifact: Readonly<Record<string, number>>;
  };
}

/** The measures that a contract names in `monitoring.metrics`. */
export function measure(metrics: Metrics, contract: Contract): Partial<Measurements> {
  return Object.fromEntries(
    contract.monitoring.metrics.map((name) => [name, MEASURES[name](metrics, contract)]),
  );
}

const MEASURES: {
  readonly [Name in keyof Measurements]: (
    metrics: Metrics,
    contract: Contract,
  ) => Measurements[Name];
} = {
  phase_transition_time: ({ durations }) =>
    recordOf(durations, ({ count, total_ms, max_ms }) => ({
      count,
      mean_seconds: total_ms / count / 1_000,
      max_seconds: max_ms / 1_000,
    })),
  gate_pass_rate: (metrics, contract) => rateOf(metrics, contract, "passed"),
  gate_block_rate: (metrics, contract) => rateOf(metrics, contract, "blocked"),
  tool_usage_by_phase: ({ uses }) => recordOf(uses, (tools) => recordOf(tools, (use) => use)),
  artifact_validation_failures: ({ failures }) => ({
    total: failureCount(failures),
    by_artifact: recordOf(failures, (count) => count),
  }),
};

/** How often gates passed or blocked, as a share of the requests that they answered. A waiting gate has not answered. */
export function rateOf(
  { requests }: Metrics,
  contract: Contract,
  wanted: "passed" | "blocked",
): Rate {
  const answered = gatedEdges(contract).flatMap((key): readonly Requests[] => {
    const known = treeGet(requests, key);
    return known === undefined ? [] : [known];
  });
  const sum = (field: "passed" | "blocked"): number =>
    answered.reduce((total, one) => total + one[field], 0);
  const samples = sum("passed") + sum("blocked");
  return { rate: samples === 0 ? null : sum(wanted) / samples, samples };
}

/** How many artifacts in requests were insufficient. */
export const failureCount = (failures: Tree<number>): number =>
  [...treeEntries(failures)].reduce((total, [, count]) => total + count, 0);

// A way back that opens when a gate says no is neither passed nor blocked by that gate.
const gatedEdges = ({ transitions }: Contract): readonly string[] =>
  transitions.flatMap(({ from, to, gate, when }) =>
    gate !== undefined && when === "passed" ? [edgeKey(from, to)] : [],
  );

function recordOf<Value, Made>(
  tree: Tree<Value>,
  make: (value: Value) => Made,
): Readonly<Record<string, Made>> {
  return Object.fromEntries([...treeEntries(tree)].map(([key, value]) => [key, make(value)]));
}
