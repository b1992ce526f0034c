import { quote, quoteAll } from "@bylaw/wording";
import type { Condition } from "../condition.ts";
import { reachable, reversed } from "../reach.ts";
import type { GateData, PhaseData } from "../schema.ts";
import { ARTIFACT_RULES, GATE_CHECKS, MADE_WITH, TEST_RULES } from "../words.ts";
import { phaseOf, type Located, type Subject } from "./subject.ts";

/** Finds the faults of gates, and of the artifacts that they read. */
export function analyseGates(subject: Subject): void {
  for (const gate of subject.gates) {
    analyseKind(gate, subject);
    analyseBlockers(gate, subject);
  }
  for (const phase of subject.phases) {
    analyseArtifacts(phase, subject);
    analyseSpawns(phase, subject);
  }
  analyseEvidence(subject);
}

// Reported once, because one `test_command` repairs all of them.
function analyseEvidence(subject: Subject): void {
  const { data, report } = subject;
  if (data.test_command !== undefined || data.evidence === "reported") return;
  const [first] = testChecks(subject);
  if (first === undefined) return;
  report(
    "tests_unobservable",
    first.at,
    `No task can leave ${quote(first.phase)}: ${quote(first.check)} needs an observed test run, and the contract has no \`test_command\``,
    data.bylaw === undefined
      ? "Run `bylaw contract migrate`: it adds a `test_command` for the project"
      : 'Add `test_command: { argv: ["pytest", "--junitxml=report.xml"], format: junit, report: report.xml }`, or `evidence: reported` to accept what agents report',
  );
}

/** The checks and rules that need a test run, in the order of the contract. */
const testChecks = ({ phases, gates }: Pick<Subject, "phases" | "gates">): readonly TestCheck[] => [
  ...phases.flatMap(({ id, required_artifacts: artifacts = [], at }) =>
    artifacts.flatMap(({ validation = [] }, index) =>
      validation.flatMap(({ rule }, number) =>
        TEST_RULES.includes(rule)
          ? [
              {
                phase: id,
                check: rule,
                at: [...at, "required_artifacts", index, "validation", number, "rule"],
              },
            ]
          : [],
      ),
    ),
  ),
  ...gates.flatMap(({ phase, blockers = [], at }) =>
    blockers.flatMap(({ check, severity }, index) =>
      severity !== "warning" &&
      Object.hasOwn(GATE_CHECKS, check) &&
      GATE_CHECKS[check]?.evidence === true
        ? [{ phase, check, at: [...at, "blockers", index, "check"] }]
        : [],
    ),
  ),
];

interface TestCheck {
  readonly phase: string;
  readonly check: string;
  readonly at: readonly (string | number)[];
}

function analyseBlockers(
  gate: Located<GateData & { readonly phase: string }>,
  subject: Subject,
): void {
  const { report } = subject;
  for (const [index, blocker] of (gate.blockers ?? []).entries()) {
    const at = [...gate.at, "blockers", index];
    const parameter = Object.hasOwn(GATE_CHECKS, blocker.check)
      ? GATE_CHECKS[blocker.check]?.parameter
      : undefined;
    for (const name of ["threshold", "required_reviews"] as const) {
      const takes = parameter?.name === name;
      if (blocker[name] !== undefined && !takes)
        report(
          "parameter_unused",
          [...at, name],
          `The check ${quote(blocker.check)} takes no \`${name}\``,
          "Remove it",
        );
      if (blocker[name] === undefined && takes && parameter.required)
        report(
          "parameter_missing",
          at,
          `The check ${quote(blocker.check)} needs \`${name}\``,
          `Add \`${name}:\``,
        );
    }
    analyseReviews(gate, blocker.required_reviews ?? [], at, subject);
    for (const artifact of readsOf(blocker.check, subject)) {
      if (!reaches(artifact, gate.phase, subject)) continue;
      report(
        "artifact_not_required",
        [...at, "check"],
        `The check ${quote(blocker.check)} reads ${quote(artifact)}, which is not required on every path to gate ${quote(gate.id)}`,
        `Require ${quote(artifact)} in ${quote(gate.phase)}, or in a phase that every task passes`,
      );
    }
  }
}

function analyseArtifacts(
  { id, required_artifacts: artifacts = [], at }: Located<PhaseData>,
  subject: Subject,
): void {
  const before = reachable([id], reversed(subject.edges));
  for (const [index, { type, validation = [] }] of artifacts.entries()) {
    const place = [...at, "required_artifacts", index];
    analyseMaking(type, id, before, place, subject);
    for (const [number, { rule }] of validation.entries()) {
      const reads = Object.hasOwn(ARTIFACT_RULES, rule)
        ? (RULE_READS[rule] ?? [])
        : readsOf(rule, subject);
      for (const artifact of reads) {
        if (artifact === type || !reaches(artifact, id, subject)) continue;
        subject.report(
          "artifact_not_required",
          [...place, "validation", number, "rule"],
          `The rule ${quote(rule)} reads ${quote(artifact)}, which is not required on every path to ${quote(id)}`,
          `Require ${quote(artifact)} in a phase that every task passes`,
        );
      }
    }
  }
}

function analyseSpawns(
  { id, auto_spawn: spawns = [] }: Located<PhaseData>,
  { edges, report }: Subject,
): void {
  if (!spawns.some(({ agent_type }) => agent_type === "review")) return;
  for (const edge of edges) {
    const trigger = (edge.triggers ?? []).findIndex(
      ({ action }) => action === "spawn_review_agents",
    );
    if (edge.to !== id || trigger === -1) continue;
    report(
      "spawned_twice",
      [...edge.at, "triggers", trigger],
      `This trigger spawns reviewers that ${quote(id)} already spawns itself`,
      "Remove the trigger: `auto_spawn` names the reviewers",
    );
  }
}

const RULE_READS: Readonly<Record<string, readonly string[]>> = {
  tests_cover_acceptance_criteria: ["plan_document"],
  matches_plan: ["plan_document"],
};

function analyseKind(gate: Located<GateData>, { report }: Subject): void {
  const { id, type = "validation", blockers = [], approvers, quorum, auto_advance, at } = gate;
  if (type === "approval") {
    if (approvers === undefined)
      report(
        "approval_without_approvers",
        at,
        `The approval gate ${quote(id)} has no \`approvers\``,
        "Add `approvers: [human]`",
      );
    if (auto_advance === true)
      report(
        "approval_conflict",
        [...at, "auto_advance"],
        `The approval gate ${quote(id)} cannot have \`auto_advance\`: somebody must approve`,
        "Remove it, or make it a validation gate",
      );
    return;
  }
  for (const [key, value] of [
    ["approvers", approvers],
    ["quorum", quorum],
  ] as const) {
    if (value !== undefined)
      report(
        "approval_conflict",
        [...at, key],
        `The validation gate ${quote(id)} asks nobody, so \`${key}\` has no effect`,
        "Make it an approval gate, or remove the key",
      );
  }
  if (blockers.every(({ severity }) => severity === "warning")) {
    report(
      "empty_gate",
      at,
      `The gate ${quote(id)} has no blocking check, so it stops nothing`,
      "Add a check, or remove the gate",
    );
  }
}

function analyseReviews(
  gate: Located<GateData & { readonly phase: string }>,
  reviews: readonly string[],
  at: readonly (string | number)[],
  subject: Subject,
): void {
  const spawned = (phaseOf(subject, gate.phase)?.auto_spawn ?? []).flatMap(({ models }) => models);
  if (spawned.length === 0) return;
  for (const [index, review] of reviews.entries()) {
    if (spawned.includes(review)) continue;
    subject.report(
      "review_impossible",
      [...at, "required_reviews", index],
      `No agent is spawned for the required review ${quote(review)}; the phase spawns ${quoteAll(spawned)}`,
      `Add it to \`models\` of \`auto_spawn\` in ${quote(gate.phase)}`,
    );
  }
}

function analyseMaking(
  type: string,
  phase: string,
  before: ReadonlySet<string>,
  place: readonly (string | number)[],
  { phases, data, report }: Subject,
): void {
  const makers = Object.hasOwn(MADE_WITH, type) ? MADE_WITH[type] : undefined;
  if (makers === undefined || (type === "test_run_result" && data.test_command !== undefined))
    return;
  const possible = phases.some(
    ({ id, allowed_tools, forbidden_tools = [] }) =>
      before.has(id) &&
      makers.some((tool) => allowed_tools.includes(tool) && !forbidden_tools.includes(tool)),
  );
  if (possible) return;
  report(
    "artifact_impossible",
    [...place, "type"],
    `No tool of ${quote(phase)} or of an earlier phase can make the artifact ${quote(type)}; it is made with ${quoteAll(makers)}`,
    `Allow one of them${type === "test_run_result" ? ", or add `test_command`" : ""}`,
  );
}

function readsOf(check: string, { data }: Subject): readonly string[] {
  if (Object.hasOwn(GATE_CHECKS, check)) return GATE_CHECKS[check]?.reads ?? [];
  const declared =
    data.checks !== undefined && Object.hasOwn(data.checks, check) ? data.checks[check] : undefined;
  return declared === undefined ? [] : [...new Set(artifactsOf(declared.passes_when))];
}

function artifactsOf(condition: Condition): readonly string[] {
  if ("all" in condition) return condition.all.flatMap(artifactsOf);
  if ("any" in condition) return condition.any.flatMap(artifactsOf);
  if ("not" in condition) return artifactsOf(condition.not);
  const [, name] = /^\$\.([\p{L}\p{N}_-]+)/u.exec(condition.path) ?? [];
  return condition.fact === "artifacts" && name !== undefined ? [name] : [];
}

/** Whether a path without a transition that requires the artifact leads to a phase's gates. */
function reaches(artifact: string, phase: string, { phases, edges, initial }: Subject): boolean {
  const requiring = new Set(
    phases
      .filter(({ required_artifacts = [] }) =>
        required_artifacts.some(({ type }) => type === artifact),
      )
      .map(({ id }) => id),
  );
  if (requiring.has(phase)) return false;
  // A transition after a rejection requires no artifacts.
  const free = edges.filter(({ from, when }) => !requiring.has(from) || when === "rejected");
  return reachable([initial], free).has(phase);
}
