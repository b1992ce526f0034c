import { COMPLETED, type Check, type Contract, type Gate, type Phase } from "@bylaw/contract";
import type { RuleReference } from "./codes.ts";
import type { CheckJudge } from "./checks/check-input.ts";
import { CHECKS, RULES } from "./checks/index.ts";
import { EVIDENCE, sameTestsGreen } from "./checks/test-results.ts";
import type { CustomCheck } from "./custom.ts";
import type { DeclaredJudge } from "./declared.ts";
import { COMMIT_TESTED, needsCommitCheck, commitTested } from "./tested-commit.ts";
import { TREE_UNCHANGED, leavesFiles, treeUnchanged } from "./tested-tree.ts";

/**
 * One requirement of a transition, its place in the contract, and the check name that waives it.
 */
export interface Requirement {
  readonly check: Check;
  readonly judge: CheckJudge | undefined;
  readonly custom: CustomCheck | undefined;
  readonly declared: DeclaredJudge | undefined;
  readonly rule: RuleReference;
}

/** One transition of the contract, with everything that it requires. */
export interface Edge {
  readonly phase: Phase;
  readonly to: string;
  readonly when: "passed" | "rejected";
  readonly gate: Gate | undefined;
  /** Artifact rules that need more than the artifact, then the gate's checks. */
  readonly requirements: readonly Requirement[];
  readonly rule: RuleReference;
}

/** What a contract is read with. */
export interface EdgeTerms {
  /** The checks of the host. */
  readonly own: ReadonlyMap<string, CustomCheck>;
  /** The checks that the contract declares. */
  readonly declared: ReadonlyMap<string, DeclaredJudge>;
  /** Where a rule stands in the contract. */
  readonly at: (name: string, place: readonly (string | number)[]) => RuleReference;
}

const UNCHANGED: Check = {
  ...{
    check: TREE_UNCHANGED,
    severity: "blocking",
    threshold: undefined,
    requiredReviews: undefined,
  },
  message: "The workspace must be the one that was tested",
};
const COMMITTED: Check = {
  ...UNCHANGED,
  check: COMMIT_TESTED,
  message: "The commit must be what was tested",
};

/** Whether tests are run under a contract, so that the workspace has a digest that counts. */
export const observed = ({ evidence }: Contract): boolean => evidence.testCommand !== undefined;

/** Every edge of a contract, by the phase that it leaves and then by the phase that it enters. */
export function edgesOf(
  contract: Contract,
  { own, declared, at }: EdgeTerms,
): ReadonlyMap<string, ReadonlyMap<string, readonly Edge[]>> {
  const requirement = (
    check: Check,
    table: Readonly<Record<string, CheckJudge>>,
    rule: RuleReference,
  ): Requirement => ({
    check,
    judge: Object.hasOwn(table, check.check) ? table[check.check] : undefined,
    custom: own.get(check.check),
    declared: declared.get(check.check),
    rule,
  });
  const rulesOf = (phase: Phase, gate?: Gate): readonly Requirement[] => {
    // Whether these are the tests that failed before is checked once: by the gate's check, or else
    // by the rule.
    const compared =
      gate?.checks.some(
        ({ check, severity }) => check === "all_tests_pass" && severity === "blocking",
      ) === true;
    const table = { ...CHECKS, ...RULES, ...(compared ? {} : { tests_passed: sameTestsGreen }) };
    const index = contract.phases.indexOf(phase);
    return phase.artifacts.flatMap(({ type, rules }, number) =>
      rules.flatMap((check, place) => {
        const name = `${phase.id}.required_artifacts.${type}.${check.check}`;
        const made = requirement(
          check,
          table,
          at(name, ["phases", index, "required_artifacts", number, "validation", place]),
        );
        // The artifacts plugin checks what the artifact alone shows.
        return (made.judge ?? made.custom ?? made.declared) ? [made] : [];
      }),
    );
  };
  const checksOf = (gate: Gate): readonly Requirement[] => {
    const index = contract.phases.findIndex(({ id }) => id === gate.phase);
    const number = contract.gates.filter(({ phase }) => phase === gate.phase).indexOf(gate);
    return gate.checks.map((check, place) =>
      requirement(
        check,
        CHECKS,
        at(`${gate.phase}.gates.${gate.id}.${check.check}`, [
          "phases",
          index,
          "gates",
          number,
          "blockers",
          place,
        ]),
      ),
    );
  };

  const observes = observed(contract);
  // Checked only if nothing can have been written since the tests ran and the commit is the task's
  // result.
  const treeOf = (
    phase: Phase,
    to: string,
    gate: Gate | undefined,
    rule: RuleReference,
  ): readonly Requirement[] => {
    const named = (check: Check, judge: CheckJudge): Requirement => ({
      ...{ check, judge, custom: undefined, declared: undefined },
      rule: { ...rule, name: `${phase.id}.gates.${gate?.id ?? "none"}.${check.check}` },
    });
    if (!observes) return [];
    return [
      ...(leavesFiles(phase) ? [named(UNCHANGED, treeUnchanged)] : []),
      ...(needsCommitCheck(phase, to) ? [named(COMMITTED, commitTested)] : []),
    ];
  };

  const edges = new Map<string, Map<string, readonly Edge[]>>(
    contract.phases.map(({ id }) => [id, new Map()]),
  );
  for (const [index, { from, to, when, gate: id }] of contract.transitions.entries()) {
    const phase = contract.phases.find((one) => one.id === from);
    if (phase === undefined) continue;
    const gate = contract.gates.find((one) => one.id === id);
    const rule = at(`${from}.gates.${id ?? "none"}.way`, ["transitions", index]);
    const asked = [
      ...(when === "passed" ? rulesOf(phase, gate) : []),
      ...(gate === undefined ? [] : checksOf(gate)),
    ];
    const edge = {
      phase,
      to,
      when,
      gate,
      requirements: [...asked, ...treeOf(phase, to, gate, rule)],
      rule,
    };
    edges.get(from)?.set(to, [...(edges.get(from)?.get(to) ?? []), edge]);
  }
  for (const phase of contract.phases.filter(({ id }) => contract.ends.includes(id))) {
    const rule = at(`${phase.id}.gates.none.way`, ["phases", contract.phases.indexOf(phase)]);
    const requirements = [...rulesOf(phase), ...treeOf(phase, COMPLETED, undefined, rule)];
    edges
      .get(phase.id)
      ?.set(COMPLETED, [
        { phase, to: COMPLETED, when: "passed", gate: undefined, requirements, rule },
      ]);
  }
  return edges;
}

/** Whether something is judged on a test run. */
export const needsTestRun = ({ check, declared }: Requirement): boolean =>
  EVIDENCE.has(check.check) || declared?.evidence === true;
