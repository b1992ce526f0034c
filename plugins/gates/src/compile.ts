import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { COMPLETED, contractLines, loadContract, type Check, type Contract, type Gate, type Phase } from "@bylaw/contract";
import type { Declared, RuleReference } from "@bylaw/kernel";
import { CHECKS, RULES } from "./checks/index.ts";
import type { CheckJudge } from "./checks/check-input.ts";
import { EVIDENCE, stayGreen } from "./checks/test-results.ts";
import { customChecks, type CustomCheck } from "./custom.ts";
import { declaredChecks, type DeclaredJudge } from "./declared.ts";
import { digestOf } from "./digest.ts";
import type { GateOptions } from "./options.ts";
import { COMMIT_TESTED, asksForCommit, commitTested } from "./tested-commit.ts";
import { READERS, TREE_UNCHANGED, leavesFiles, treeUnchanged } from "./tested-tree.ts";
import { workRecord, type WorkRecord } from "./work-record.ts";

/** One thing that has to hold for a transition, where the contract has it, and what it is waived by. */
export interface Demand {
  readonly check: Check;
  readonly judge: CheckJudge | undefined;
  readonly custom: CustomCheck | undefined;
  readonly declared: DeclaredJudge | undefined;
  readonly rule: RuleReference;
}

/** One way from a phase to another, with all that it asks for. */
export interface Way {
  readonly phase: Phase;
  readonly to: string;
  readonly when: "passed" | "rejected";
  readonly gate: Gate | undefined;
  /** The rules of the phase's artifacts that need more than the artifact, then the checks of the gate. */
  readonly demands: readonly Demand[];
  readonly rule: RuleReference;
}

/** A contract, ready to be asked. */
export interface Compiled {
  readonly contract: Contract;
  /** What this plugin decides by, as decisions have it. */
  readonly policy: string;
  readonly digests: readonly string[];
  readonly ways: (from: string, to: string) => readonly Way[];
  readonly record: WorkRecord;
  /** Finds what the declared checks ask about. Throws BYLAW_GATE_PROJECTION_UNKNOWN. */
  readonly bind: (declared: Declared) => void;
  /** The phases that no task comes to but through one in which its tests were red. */
  readonly afterRed: ReadonlySet<string>;
  /** Tests are run under it, so the workspace has a digest that counts. */
  readonly observes: boolean;
  /** Some check is asked later than at once. */
  readonly late: boolean;
  /** Whether calls in a phase are a reviewer's: agents are started for it, and no tool of it writes or runs anything. */
  readonly reviewing: ReadonlySet<string>;
}

const UNCHANGED: Check = {
  ...{ check: TREE_UNCHANGED, severity: "blocking", threshold: undefined, requiredReviews: undefined },
  message: "What was tested is what goes on",
};
const COMMITTED: Check = { ...UNCHANGED, check: COMMIT_TESTED, message: "What was tested is what is committed" };
const RED: ReadonlySet<string> = new Set(["tests_are_failing", "tests_failed"]);

/** Reads a contract and compiles what its gates ask for, once. Throws what `loadContract` throws, and BYLAW_GATE_CHECK_INVALID. */
export function compileGates({ contract: file, tools, checks }: GateOptions, folder: string): Compiled {
  const own = customChecks(checks);
  const path = resolve(folder, file);
  const contract = loadContract(path, { tools, checks: [...own.keys()] });
  const lineOf = contractLines(readFileSync(path));
  const declared = declaredChecks(contract);
  const digests = [contract.digest, ...(checks.length === 0 ? [] : [digestOf(checks.map(({ name, version }) => [name, version]))])];

  const demand = (check: Check, table: Readonly<Record<string, CheckJudge>>, rule: RuleReference): Demand => ({
    check,
    judge: Object.hasOwn(table, check.check) ? table[check.check] : undefined,
    custom: own.get(check.check),
    declared: declared.get(check.check),
    rule,
  });
  const at = (name: string, place: readonly (string | number)[]): RuleReference => ({ name, file, line: lineOf(place) });

  const rulesOf = (phase: Phase, gate?: Gate): readonly Demand[] => {
    // Whether they are the tests that were red is asked once: by the check of the gate, else by the rule.
    const compared = gate?.checks.some(({ check, severity }) => check === "all_tests_pass" && severity === "blocking") === true;
    const table = { ...CHECKS, ...RULES, ...(compared ? {} : { tests_passed: stayGreen }) };
    const index = contract.phases.indexOf(phase);
    return phase.artifacts.flatMap(({ type, rules }, number) =>
      rules.flatMap((check, place) => {
        const name = `${phase.id}.required_artifacts.${type}.${check.check}`;
        const made = demand(check, table, at(name, ["phases", index, "required_artifacts", number, "validation", place]));
        // What the artifact alone shows is for plugin artifacts.
        return (made.judge ?? made.custom ?? made.declared) ? [made] : [];
      }),
    );
  };
  const checksOf = (gate: Gate): readonly Demand[] => {
    const index = contract.phases.findIndex(({ id }) => id === gate.phase);
    const number = contract.gates.filter(({ phase }) => phase === gate.phase).indexOf(gate);
    return gate.checks.map((check, place) =>
      demand(check, CHECKS, at(`${gate.phase}.gates.${gate.id}.${check.check}`, ["phases", index, "gates", number, "blockers", place])),
    );
  };

  const observes = contract.evidence.testCommand !== undefined;
  // Asked only where nothing may have been written since the tests ran, and where what was committed is what the task leaves.
  const treeOf = (phase: Phase, to: string, gate: Gate | undefined, rule: RuleReference): readonly Demand[] => {
    const named = (check: Check, judge: CheckJudge): Demand => ({
      ...{ check, judge, custom: undefined, declared: undefined },
      rule: { ...rule, name: `${phase.id}.gates.${gate?.id ?? "none"}.${check.check}` },
    });
    if (!observes) return [];
    return [
      ...(leavesFiles(phase) ? [named(UNCHANGED, treeUnchanged)] : []),
      ...(asksForCommit(phase, to) ? [named(COMMITTED, commitTested)] : []),
    ];
  };

  const ways = new Map<string, readonly Way[]>();
  const key = (from: string, to: string): string => JSON.stringify([from, to]);
  for (const [index, { from, to, when, gate: id }] of contract.transitions.entries()) {
    const phase = contract.phases.find((one) => one.id === from);
    if (phase === undefined) continue;
    const gate = contract.gates.find((one) => one.id === id);
    const rule = at(`${from}.gates.${id ?? "none"}.way`, ["transitions", index]);
    const asked = [...(when === "passed" ? rulesOf(phase, gate) : []), ...(gate === undefined ? [] : checksOf(gate))];
    const way = { phase, to, when, gate, demands: [...asked, ...treeOf(phase, to, gate, rule)], rule };
    ways.set(key(from, to), [...(ways.get(key(from, to)) ?? []), way]);
  }
  for (const phase of contract.phases.filter(({ id }) => contract.ends.includes(id))) {
    const rule = at(`${phase.id}.gates.none.way`, ["phases", contract.phases.indexOf(phase)]);
    const demands = [...rulesOf(phase), ...treeOf(phase, COMPLETED, undefined, rule)];
    ways.set(key(phase.id, COMPLETED), [{ phase, to: COMPLETED, when: "passed", gate: undefined, demands, rule }]);
  }

  const all = [...ways.values()].flat();
  const redPhases = new Set(all.filter(({ demands }) => demands.some(({ check }) => RED.has(check.check))).map(({ phase }) => phase.id));
  const reviewing = contract.phases.filter(
    ({ spawns, allowedTools }) => spawns.length > 0 && allowedTools.every((tool) => READERS.has(tool)),
  );
  return {
    contract,
    observes,
    digests,
    policy: [...digests].sort().join(" "),
    ways: (from, to) => ways.get(key(from, to)) ?? [],
    record: workRecord(contract, {
      redPhases,
      testedBy: testedBy(observes ? all.filter(({ when }) => when === "passed") : []),
      artifacts: new Set(["plan_document", "scope_definition", "test_files", ...[...declared.values()].flatMap(({ reads }) => reads)]),
    }),
    bind: (plugins) => {
      for (const check of declared.values()) check.bind(plugins);
    },
    late: all.some(({ demands }) => demands.some((one) => one.declared !== undefined)),
    afterRed: afterRed(contract, redPhases),
    reviewing: new Set(reviewing.map(({ id }) => id)),
  };
}

/** What no task leaves a phase without, as far as it is judged on a test run. */
function testedBy(ways: readonly Way[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { phase, demands } of ways) {
    const rules = demands.filter((one) => one.check.severity === "blocking" && asksForRun(one)).map(({ rule }) => rule.name);
    if (rules.length > 0) found.set(phase.id, [...(found.get(phase.id) ?? []), ...rules]);
  }
  return found;
}

/** Whether something is judged on a test run. */
export const asksForRun = ({ check, declared }: Demand): boolean => EVIDENCE.has(check.check) || declared?.evidence === true;

function afterRed({ phases, transitions, initial }: Contract, red: ReadonlySet<string>): ReadonlySet<string> {
  const without = new Set([initial]);
  // A set grows while it is walked.
  for (const phase of without) {
    for (const { from, to, when } of transitions) if (from === phase && (when === "rejected" || !red.has(from))) without.add(to);
  }
  return new Set(phases.map(({ id }) => id).filter((id) => !without.has(id)));
}
