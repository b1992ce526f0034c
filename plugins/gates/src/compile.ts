import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { contractLines, loadContract, type Contract } from "@bylaw/contract";
import { digestOf } from "@bylaw/log";
import { declaredChecks, type Declared } from "./declared.ts";
import { customChecks } from "./custom.ts";
import type { GateOptions } from "./options.ts";
import { READERS } from "./tested-tree.ts";
import { needsTestRun, observed, edgesOf, type Edge } from "./edges.ts";
import { workRecord, type WorkRecord } from "./work-record.ts";

export interface Compiled {
  readonly contract: Contract;
  /** The policy of this plugin, as decisions name it. */
  readonly policy: string;
  readonly digests: readonly string[];
  readonly edges: (from: string, to: string) => readonly Edge[];
  readonly record: WorkRecord;
  /** Resolves the projections that declared checks ask about. Throws BYLAW_GATE_PROJECTION_UNKNOWN. */
  readonly bind: (declared: Declared) => void;
  /** The phases that a task can reach only through one in which its tests failed. */
  readonly onlyAfterRed: ReadonlySet<string>;
  /** Whether tests run under the contract, so that the digest of the workspace matters. */
  readonly observes: boolean;
  /** Whether some check answers asynchronously. */
  readonly late: boolean;
  /** The phases in which calls are a reviewer's: the phase starts agents, and none of its tools writes or runs anything. */
  readonly reviewing: ReadonlySet<string>;
}

const RED: ReadonlySet<string> = new Set(["tests_are_failing", "tests_failed"]);

/**
 * Reads a contract and compiles its gates. Throws what `loadContract` throws, and
 * BYLAW_GATE_CHECK_INVALID.
 */
export function compileGates(
  { contract: file, tools, checks }: GateOptions,
  folder: string,
): Compiled {
  const own = customChecks(checks);
  const path = resolve(folder, file);
  const contract = loadContract(path, { tools, checks: [...own.keys()] });
  const lineOf = contractLines(readFileSync(path));
  const declared = declaredChecks(contract);
  const observes = observed(contract);
  const edges = edgesOf(contract, {
    own,
    declared,
    at: (name, place) => ({ name, file, line: lineOf(place) }),
  });
  const digests = [
    contract.digest,
    ...(checks.length === 0 ? [] : [digestOf(checks.map(({ name, version }) => [name, version]))]),
  ];

  const all = [...edges.values()].flatMap((to) => [...to.values()].flat());
  const redPhases = new Set(
    all
      .filter(({ requirements }) => requirements.some(({ check }) => RED.has(check.check)))
      .map(({ phase }) => phase.id),
  );
  const reviewing = contract.phases.filter(
    ({ spawns, allowedTools }) =>
      spawns.length > 0 && allowedTools.every((tool) => READERS.has(tool)),
  );
  return {
    contract,
    observes,
    digests,
    policy: [...digests].sort().join(" "),
    edges: (from, to) => edges.get(from)?.get(to) ?? [],
    record: workRecord(contract, {
      redPhases,
      testedBy: testedBy(observes ? all.filter(({ when }) => when === "passed") : []),
      artifacts: new Set([
        "plan_document",
        "scope_definition",
        "test_files",
        ...[...declared.values()].flatMap(({ reads }) => reads),
      ]),
    }),
    bind: (plugins) => {
      for (const check of declared.values()) check.bind(plugins);
    },
    late: all.some(({ requirements }) => requirements.some((one) => one.declared !== undefined)),
    onlyAfterRed: phasesAfterRed(contract, redPhases),
    reviewing: new Set(reviewing.map(({ id }) => id)),
  };
}

/** The rules about a test run that every transition out of a phase must meet, by phase. */
function testedBy(edges: readonly Edge[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { phase, requirements } of edges) {
    const rules = requirements
      .filter((one) => one.check.severity === "blocking" && needsTestRun(one))
      .map(({ rule }) => rule.name);
    if (rules.length > 0) found.set(phase.id, [...(found.get(phase.id) ?? []), ...rules]);
  }
  return found;
}

function phasesAfterRed(
  { phases, transitions, initial }: Contract,
  red: ReadonlySet<string>,
): ReadonlySet<string> {
  const without = new Set([initial]);
  // Iterating over a set also visits values that are added meanwhile.
  for (const phase of without) {
    for (const { from, to, when } of transitions)
      if (from === phase && (when === "rejected" || !red.has(from))) without.add(to);
  }
  return new Set(phases.map(({ id }) => id).filter((id) => !without.has(id)));
}
