import { COMPLETED_PHASE, type Check, type Contract, type Gate, type Phase } from "@bylaw/contract";
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

export interface EdgeOptions {
  /** The host's own checks. */
  readonly own: ReadonlyMap<string, CustomCheck>;
  /** The checks that the contract declares. */
  readonly declared: ReadonlyMap<string, DeclaredJudge>;
  /** The reference to a rule, for its place in the contract. */
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

/** Whether tests run under a contract, so that the digest of the workspace matters. */
export const observed = ({ evidence }: Contract): boolean => evidence.testCommand !== undefined;

/** The edges of a contract, by the phase that they leave and then by the phase that they enter. */
export type Edges = ReadonlyMap<string, ReadonlyMap<string, readonly Edge[]>>;

export const edgesOf = (contract: Contract, options: EdgeOptions): Edges =>
  new EdgeCompiler(contract, options).compile();

class EdgeCompiler {
  readonly #contract: Contract;
  readonly #options: EdgeOptions;
  readonly #edges: Map<string, Map<string, readonly Edge[]>>;

  constructor(contract: Contract, options: EdgeOptions) {
    this.#contract = contract;
    this.#options = options;
    this.#edges = new Map(contract.phases.map(({ id }) => [id, new Map()]));
  }

  compile(): Edges {
    const { phases, transitions, gates, ends } = this.#contract;
    for (const [index, { from, to, when, gate: id }] of transitions.entries()) {
      const phase = phases.find((one) => one.id === from);
      if (phase === undefined) continue;
      const gate = gates.find((one) => one.id === id);
      const rule = this.#options.at(`${from}.gates.${id ?? "none"}.way`, ["transitions", index]);
      const requirements = [
        ...(when === "passed" ? this.#rulesOf(phase, gate) : []),
        ...(gate === undefined ? [] : this.#checksOf(gate)),
        ...this.#treeOf(phase, to, gate, rule),
      ];
      this.#add({ phase, to, when, gate, requirements, rule });
    }
    for (const phase of phases.filter(({ id }) => ends.includes(id))) {
      const place = ["phases", phases.indexOf(phase)];
      const rule = this.#options.at(`${phase.id}.gates.none.way`, place);
      const requirements = [
        ...this.#rulesOf(phase),
        ...this.#treeOf(phase, COMPLETED_PHASE, undefined, rule),
      ];
      this.#add({
        phase,
        to: COMPLETED_PHASE,
        when: "passed",
        gate: undefined,
        requirements,
        rule,
      });
    }
    return this.#edges;
  }

  #add(edge: Edge): void {
    const leaving = this.#edges.get(edge.phase.id);
    leaving?.set(edge.to, [...(leaving.get(edge.to) ?? []), edge]);
  }

  #requirement(
    check: Check,
    table: Readonly<Record<string, CheckJudge>>,
    rule: RuleReference,
  ): Requirement {
    return {
      check,
      judge: Object.hasOwn(table, check.check) ? table[check.check] : undefined,
      custom: this.#options.own.get(check.check),
      declared: this.#options.declared.get(check.check),
      rule,
    };
  }

  #rulesOf(phase: Phase, gate?: Gate): readonly Requirement[] {
    // Whether these are the tests that failed before is checked once: by the gate's check, or else
    // by the rule.
    const compared =
      gate?.checks.some(
        ({ check, severity }) => check === "all_tests_pass" && severity === "blocking",
      ) === true;
    const table = { ...CHECKS, ...RULES, ...(compared ? {} : { tests_passed: sameTestsGreen }) };
    const index = this.#contract.phases.indexOf(phase);
    return (
      phase.artifacts
        .flatMap(({ type, rules }, number) =>
          rules.map((check, place) =>
            this.#requirement(
              check,
              table,
              this.#options.at(`${phase.id}.required_artifacts.${type}.${check.check}`, [
                ...["phases", index, "required_artifacts", number, "validation", place],
              ]),
            ),
          ),
        )
        // The artifacts plugin checks what the artifact alone shows.
        .filter(({ judge, custom, declared }) => judge ?? custom ?? declared)
    );
  }

  #checksOf(gate: Gate): readonly Requirement[] {
    const { phases, gates } = this.#contract;
    const index = phases.findIndex(({ id }) => id === gate.phase);
    const number = gates.filter(({ phase }) => phase === gate.phase).indexOf(gate);
    return gate.checks.map((check, place) =>
      this.#requirement(
        check,
        CHECKS,
        this.#options.at(`${gate.phase}.gates.${gate.id}.${check.check}`, [
          ...["phases", index, "gates", number, "blockers", place],
        ]),
      ),
    );
  }

  /**
   * Checked only if nothing can have been written since the tests ran and the commit is the task's
   * result.
   */
  #treeOf(
    phase: Phase,
    to: string,
    gate: Gate | undefined,
    rule: RuleReference,
  ): readonly Requirement[] {
    const named = (check: Check, judge: CheckJudge): Requirement => ({
      ...{ check, judge, custom: undefined, declared: undefined },
      rule: { ...rule, name: `${phase.id}.gates.${gate?.id ?? "none"}.${check.check}` },
    });
    if (!observed(this.#contract)) return [];
    return [
      ...(leavesFiles(phase) ? [named(UNCHANGED, treeUnchanged)] : []),
      ...(needsCommitCheck(phase, to) ? [named(COMMITTED, commitTested)] : []),
    ];
  }
}

export const needsTestRun = ({ check, declared }: Requirement): boolean =>
  EVIDENCE.has(check.check) || declared?.evidence === true;
