import type { JsonObject, Transition, Verdict, View } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import { quote, quoteAll } from "@bylaw/wording";
import manifest from "../package.json" with { type: "json" };
import { judgeApproval } from "./approval.ts";
import type { CheckInput, Finding } from "./checks/check-input.ts";
import { note, refuse } from "./codes.ts";
import type { Compiled } from "./compile.ts";
import { factsOf } from "./file-facts.ts";
import { approvalRule, gateStateOf, gateProjection } from "./gate-projection.ts";
import { COMMIT_TESTED } from "./tested-commit.ts";
import { TREE_UNCHANGED } from "./tested-tree.ts";
import type { AskDeclared, JudgedRequest } from "./judged-request.ts";
import { verdictOf, waiverOf } from "./verdict-of.ts";
import { hasWorkedOn } from "./has-worked-on.ts";
import { taskWork } from "./work-record.ts";
import { needsTestRun, type Requirement, type Edge } from "./edges.ts";

/** The findings about each requirement of an edge. */
type Results = readonly {
  readonly requirement: Requirement;
  readonly findings: readonly Finding[];
}[];

/** Judges the gate of a transition. Pure. */
export function judgeTransition(
  request: Transition,
  view: View,
  compiled: Compiled,
  late: AskDeclared = notAskedYet,
): readonly Verdict[] {
  const { from, to, task } = request;
  const edges = from === undefined ? [] : compiled.edges(from, to);
  if (edges.length === 0) return [];
  const one: JudgedRequest = {
    request,
    view,
    compiled,
    gateState: gateStateOf(view(gateProjection), task),
    late,
  };
  const answers = edges.map((edge) =>
    edge.when === "passed" ? judgePassed(edge, one) : judgeRejected(edge, one),
  );
  // One passing edge suffices.
  return (
    answers.find((verdicts) => verdicts.every(({ severity }) => severity === "warning")) ??
    answers.flat()
  );
}

const UNSEEN = { tree: null, treeProblem: "The workspace was not looked at" } as const;

const notAskedYet: AskDeclared = ({ check }) => {
  throw new Error(`The check ${check.check} was asked before its answer was there`);
};

function judgePassed(edge: Edge, one: JudgedRequest): readonly Verdict[] {
  const found = findAll(edge, one, one.request.artifacts);
  const verdicts = [
    ...found.flatMap(({ requirement, findings }) =>
      findings.map((finding) => verdictOf(finding, requirement, edge, one)),
    ),
    ...words(edge, one),
  ];
  const waiting = waitsFor(edge, one);
  if (waiting !== undefined) return [...verdicts, waiting];
  const { gate, phase } = edge;
  if (gate === undefined || verdicts.some(({ severity }) => severity !== "warning"))
    return verdicts;
  const { compiled, gateState, request } = one;
  const { tree = null, treeProblem } = compiled.observes
    ? (factsOf(request.facts?.[manifest.name]) ?? UNSEEN)
    : {};
  if (compiled.observes && gate.quorum > 0 && tree === null)
    return [
      ...verdicts,
      refuse(
        "gate_blocked",
        edge.rule,
        `Approvers cannot be asked about this workspace: ${treeProblem ?? UNSEEN.treeProblem}`,
        "Ask again when the workspace can be read",
      ),
    ];
  const asked = judgeApproval({
    ...{
      contract: compiled.contract,
      gate,
      to: edge.to,
      gateState,
      policy: compiled.policy,
      agent: request.agent,
      at: request.at,
      worked: hasWorkedOn(one),
    },
    artifacts: digestOf(request.artifacts),
    tree,
    rule: { ...edge.rule, name: approvalRule(phase.id, gate.id) },
  });
  return asked === undefined ? verdicts : [...verdicts, asked];
}

function judgeRejected(edge: Edge, one: JudgedRequest): readonly Verdict[] {
  const { gate } = edge;
  // A backward edge without a gate always passes.
  if (gate === undefined) return [];
  const { gateState, request } = one;
  if (gateState.rejected.includes(gate.id)) return [];
  const handed = [
    request.artifacts,
    ...(gateState.asked === null ? [] : [gateState.asked.artifacts]),
  ];
  const saysNo = handed.some((artifacts) =>
    findAll(edge, one, artifacts).some(({ requirement, findings }) =>
      findings.some(
        (finding) =>
          (finding.kind === "no" ||
            (finding.kind === "stale" &&
              [TREE_UNCHANGED, COMMIT_TESTED].includes(requirement.check.check))) &&
          requirement.check.severity === "blocking" &&
          waiverOf(finding, requirement, edge, one) === undefined,
      ),
    ),
  );
  if (saysNo) return [];
  return [
    refuse(
      "gate_not_rejected",
      edge.rule,
      `The way back from ${quote(edge.phase.id)} to ${quote(edge.to)} opens only after the gate ${quote(gate.id)} says no`,
      "Hand in what the gate checks. The way back opens when a blocking check fails or an approver rejects it",
    ),
  ];
}

function findAll(
  { requirements, phase }: Edge,
  { request, view, compiled, gateState, late }: JudgedRequest,
  artifacts: JsonObject,
): Results {
  const { run, red, tested, base, approved } = taskWork(view(compiled.record), request.task);
  const facts =
    artifacts === request.artifacts
      ? factsOf(request.facts?.[manifest.name])
      : factsWithoutFiles(request);
  const { contract } = compiled;
  const worked = hasWorkedOn({ request, compiled, gateState });
  const judged =
    tested ?? (run !== null && requirements.some(needsTestRun) ? run.details.tree_after : null);
  return requirements.map((requirement) => {
    const input: CheckInput = {
      contract,
      phase,
      check: requirement.check,
      artifacts,
      approved,
      facts,
      run,
      red,
      tested,
      judged,
      base,
      onlyAfterRed: compiled.onlyAfterRed.has(phase.id),
      reviewers: gateState.reviewers,
      worked,
    };
    const asked = artifacts === request.artifacts ? request : { ...request, artifacts };
    return {
      requirement,
      findings: firstOf(
        requirement.judge?.(input) ?? requirement.custom?.(asked, view) ?? late(requirement, input),
      ),
    };
  });
}

/** The most findings of one check that are listed one by one. */
const MAX_FINDINGS = 20;

function firstOf(findings: readonly Finding[]): readonly Finding[] {
  const [next] = findings.slice(MAX_FINDINGS);
  return next === undefined
    ? findings
    : [
        ...findings.slice(0, MAX_FINDINGS),
        { ...next, detail: `and ${findings.length - MAX_FINDINGS} more` },
      ];
}

// Only the artifacts of an earlier request are known, not the files at that time.
function factsWithoutFiles({ facts }: Transition): CheckInput["facts"] {
  const known = factsOf(facts?.[manifest.name]);
  return known === undefined
    ? undefined
    : { ...known, files: new Map(), problem: "The files of an earlier request are not looked at" };
}

/** Notes that an agent's own report counted as a test run. */
function words(
  { requirements, rule, phase, gate }: Edge,
  { compiled, view, request }: JudgedRequest,
): readonly Verdict[] {
  if (
    compiled.contract.evidence.source !== "reported" ||
    taskWork(view(compiled.record), request.task).run !== null
  )
    return [];
  const names = [...new Set(requirements.filter(needsTestRun).map(({ check }) => check.check))];
  if (names.length === 0) return [];
  const at = { ...rule, name: `${phase.id}.gates.${gate?.id ?? "none"}.reported` };
  return [
    note(
      "gate_reported",
      at,
      `No test run was observed: the contract says \`evidence: reported\`, so ${quoteAll(names, 10)} were judged on the agent's word`,
    ),
  ];
}

/** Denies while agents that the phase starts and waits for have not reported. */
function waitsFor({ phase, rule, gate }: Edge, { gateState }: JudgedRequest): Verdict | undefined {
  const wanted = phase.spawns.flatMap(({ agentType, models, waitForCompletion }) =>
    waitForCompletion ? models.map((model) => ({ agentType, model })) : [],
  );
  const reported = gateState.reviewers.filter(({ report }) => report !== null);
  const done = ({
    agentType,
    model,
  }: {
    readonly agentType: string;
    readonly model: string;
  }): boolean =>
    reported.some((one) => one.model === model && (one.agent_type ?? agentType) === agentType);
  const silent = wanted.filter((one) => !done(one)).map(({ model }) => model);
  if (silent.length === 0) return undefined;
  return refuse(
    "gate_pending",
    { ...rule, name: `${phase.id}.gates.${gate?.id ?? "none"}.reviewers` },
    `${silent.length} agent(s) started for ${quote(phase.id)} have not reported: ${quoteAll(silent, 10)}`,
    "Wait for them; the host records their reports (`completeDirective`)",
  );
}
