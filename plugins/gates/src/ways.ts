import { COMPLETED, type Check, type Contract, type Gate, type Phase } from "@bylaw/contract";
import type { RuleReference } from "@bylaw/kernel";
import type { CheckJudge } from "./checks/check-input.ts";
import { CHECKS, RULES } from "./checks/index.ts";
import { EVIDENCE, stayGreen } from "./checks/test-results.ts";
import type { CustomCheck } from "./custom.ts";
import type { DeclaredJudge } from "./declared.ts";
import { COMMIT_TESTED, asksForCommit, commitTested } from "./tested-commit.ts";
import { TREE_UNCHANGED, leavesFiles, treeUnchanged } from "./tested-tree.ts";

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

/** What a contract is read with. */
export interface WayTerms {
  /** The checks of the host. */
  readonly own: ReadonlyMap<string, CustomCheck>;
  /** The checks that the contract declares. */
  readonly declared: ReadonlyMap<string, DeclaredJudge>;
  /** Where a rule stands in the contract. */
  readonly at: (name: string, place: readonly (string | number)[]) => RuleReference;
}

const UNCHANGED: Check = {
  ...{ check: TREE_UNCHANGED, severity: "blocking", threshold: undefined, requiredReviews: undefined },
  message: "What was tested is what goes on",
};
const COMMITTED: Check = { ...UNCHANGED, check: COMMIT_TESTED, message: "What was tested is what is committed" };

/** Whether tests are run under a contract, so that the workspace has a digest that counts. */
export const observed = ({ evidence }: Contract): boolean => evidence.testCommand !== undefined;

/** Every way of a contract, by the phase that it leaves and then by where it leads, with all that it asks for. */
export function waysOf(contract: Contract, { own, declared, at }: WayTerms): ReadonlyMap<string, ReadonlyMap<string, readonly Way[]>> {
  const demand = (check: Check, table: Readonly<Record<string, CheckJudge>>, rule: RuleReference): Demand => ({
    check,
    judge: Object.hasOwn(table, check.check) ? table[check.check] : undefined,
    custom: own.get(check.check),
    declared: declared.get(check.check),
    rule,
  });
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

  const observes = observed(contract);
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

  const ways = new Map<string, Map<string, readonly Way[]>>(contract.phases.map(({ id }) => [id, new Map()]));
  for (const [index, { from, to, when, gate: id }] of contract.transitions.entries()) {
    const phase = contract.phases.find((one) => one.id === from);
    if (phase === undefined) continue;
    const gate = contract.gates.find((one) => one.id === id);
    const rule = at(`${from}.gates.${id ?? "none"}.way`, ["transitions", index]);
    const asked = [...(when === "passed" ? rulesOf(phase, gate) : []), ...(gate === undefined ? [] : checksOf(gate))];
    const way = { phase, to, when, gate, demands: [...asked, ...treeOf(phase, to, gate, rule)], rule };
    ways.get(from)?.set(to, [...(ways.get(from)?.get(to) ?? []), way]);
  }
  for (const phase of contract.phases.filter(({ id }) => contract.ends.includes(id))) {
    const rule = at(`${phase.id}.gates.none.way`, ["phases", contract.phases.indexOf(phase)]);
    const demands = [...rulesOf(phase), ...treeOf(phase, COMPLETED, undefined, rule)];
    ways.get(phase.id)?.set(COMPLETED, [{ phase, to: COMPLETED, when: "passed", gate: undefined, demands, rule }]);
  }
  return ways;
}

/** Whether something is judged on a test run. */
export const asksForRun = ({ check, declared }: Demand): boolean => EVIDENCE.has(check.check) || declared?.evidence === true;
