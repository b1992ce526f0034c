import { GATE_CHECKS, ARTIFACT_RULES } from "@bylaw/contract";
import { deny, type JsonObject, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { digestOf, foldName } from "@bylaw/log";
import { oneLine, prose, quote, quoteAll } from "@bylaw/wording";
import manifest from "../package.json" with { type: "json" };
import { judgeApproval } from "./approval.ts";
import type { Book } from "./book.ts";
import type { CheckInput, Finding } from "./checks/check-input.ts";
import { note, refuse } from "./codes.ts";
import type { Compiled } from "./compile.ts";
import { factsOf } from "./file-facts.ts";
import { approvalRule, bookOf, gateBook } from "./gate-book.ts";
import { COMMIT_TESTED } from "./tested-commit.ts";
import { TREE_UNCHANGED } from "./tested-tree.ts";
import { workOf } from "./work-record.ts";
import { asksForRun, type Demand, type Way } from "./ways.ts";

/** What was found about each demand of a way. */
type Found = readonly { readonly demand: Demand; readonly findings: readonly Finding[] }[];

/** Asks what is declared as conditions, which answers later, of everything that the request may be judged by. */
export type Late = (demand: Demand, input: CheckInput) => readonly Finding[];

/** One request with all that it is judged by. */
export interface Case {
  readonly request: Transition;
  readonly view: View;
  readonly compiled: Compiled;
  readonly book: Book;
  readonly late: Late;
}

/** Judges the gate of a transition. Pure. */
export function judgeTransition(request: Transition, view: View, compiled: Compiled, late: Late = unasked): readonly Verdict[] {
  const { from, to, task } = request;
  const ways = from === undefined ? [] : compiled.ways(from, to);
  if (ways.length === 0) return [];
  const one: Case = { request, view, compiled, book: bookOf(view(gateBook), task), late };
  const answers = ways.map((way) => (way.when === "passed" ? judgePassed(way, one) : judgeRejected(way, one)));
  // One open way is enough.
  return answers.find((verdicts) => verdicts.every(({ severity }) => severity === "warning")) ?? answers.flat();
}

const UNSEEN = { tree: null, treeProblem: "Unexpected request without a look at the workspace" } as const;

const unasked: Late = ({ check }) => {
  throw new Error(`Unexpected question of check ${check.check}, expected it to be asked before`);
};

function judgePassed(way: Way, one: Case): readonly Verdict[] {
  const found = findAll(way, one, one.request.artifacts);
  const verdicts = [
    ...found.flatMap(({ demand, findings }) => findings.map((finding) => verdictOf(finding, demand, way, one))),
    ...words(way, one),
  ];
  const waiting = waitsFor(way, one);
  if (waiting !== undefined) return [...verdicts, waiting];
  const { gate, phase } = way;
  if (gate === undefined || verdicts.some(({ severity }) => severity !== "warning")) return verdicts;
  const { compiled, book, request } = one;
  const { tree = null, treeProblem } = compiled.observes ? (factsOf(request.facts?.[manifest.name]) ?? UNSEEN) : {};
  if (compiled.observes && gate.quorum > 0 && tree === null)
    return [
      ...verdicts,
      refuse("gate_blocked", way.rule, `${treeProblem ?? UNSEEN.treeProblem}, expected the workspace that approvers are asked about`),
    ];
  const asked = judgeApproval({
    ...{
      contract: compiled.contract,
      gate,
      to: way.to,
      book,
      policy: compiled.policy,
      agent: request.agent,
      at: request.at,
      worked: workedOn(one),
    },
    artifacts: digestOf(request.artifacts),
    tree,
    rule: { ...way.rule, name: approvalRule(phase.id, gate.id) },
  });
  return asked === undefined ? verdicts : [...verdicts, asked];
}

function judgeRejected(way: Way, one: Case): readonly Verdict[] {
  const { gate } = way;
  // A way back that no gate guards is open.
  if (gate === undefined) return [];
  const { book, request } = one;
  if (book.rejected.includes(gate.id)) return [];
  const handed = [request.artifacts, ...(book.asked === null ? [] : [book.asked.artifacts])];
  const saysNo = handed.some((artifacts) =>
    findAll(way, one, artifacts).some(({ demand, findings }) =>
      findings.some(
        (finding) =>
          (finding.kind === "no" || (finding.kind === "stale" && [TREE_UNCHANGED, COMMIT_TESTED].includes(demand.check.check))) &&
          demand.check.severity === "blocking" &&
          waiverOf(finding, demand, way, one) === undefined,
      ),
    ),
  );
  if (saysNo) return [];
  return [
    refuse(
      "gate_not_rejected",
      way.rule,
      `Unexpected way back from ${quote(way.phase.id)} to ${quote(way.to)}, expected gate ${quote(gate.id)} to say no before`,
      "hand in what the gate looks at; the way back opens when a blocking check finds something wrong with it, or an approver rejects it",
    ),
  ];
}

/** Looks at every demand of a way, with these artifacts. */
function findAll({ demands, phase }: Way, { request, view, compiled, book, late }: Case, artifacts: JsonObject): Found {
  const { run, red, tested, base, approved } = workOf(view(compiled.record), request.task);
  const facts = artifacts === request.artifacts ? factsOf(request.facts?.[manifest.name]) : factsWithoutFiles(request);
  const { contract } = compiled;
  const worked = workedOn({ request, compiled, book });
  const judged = tested ?? (run !== null && demands.some(asksForRun) ? run.details.tree_after : null);
  return demands.map((demand) => {
    const input: CheckInput = {
      contract,
      phase,
      check: demand.check,
      artifacts,
      approved,
      facts,
      run,
      red,
      tested,
      judged,
      base,
      afterRed: compiled.afterRed.has(phase.id),
      reviewers: book.reviewers,
      worked,
    };
    const asked = artifacts === request.artifacts ? request : { ...request, artifacts };
    return { demand, findings: firstOf(demand.judge?.(input) ?? demand.custom?.(asked, view) ?? late(demand, input)) };
  });
}

/** As many findings of one check are told one by one. */
const TOLD = 20;

function firstOf(findings: readonly Finding[]): readonly Finding[] {
  const [next] = findings.slice(TOLD);
  return next === undefined ? findings : [...findings.slice(0, TOLD), { ...next, detail: `and ${findings.length - TOLD} more of this` }];
}

// Of an earlier request only the artifacts are known: what its files were then nobody can say.
function factsWithoutFiles({ facts }: Transition): CheckInput["facts"] {
  const known = factsOf(facts?.[manifest.name]);
  return known === undefined ? undefined : { ...known, files: new Map(), problem: "The files of an earlier request are not looked at" };
}

function verdictOf(finding: Finding, demand: Demand, way: Way, one: Case): Verdict {
  const { check, rule } = demand;
  const { kind, detail, fix } = finding;
  const name = finding.as ?? check.check;
  const named = finding.as === undefined ? rule : { ...rule, name: `${rule.name}.${finding.as}` };
  const text = `Unexpected result of check ${quote(name)}: ${oneLine(check.message, 500)} - ${oneLine(detail, 2_000)}, expected ${passesWhen(check.check)}`;
  if (kind === "broken") return deny(text, fix, { code: "check_failed", rule: named });
  const waiver = waiverOf(finding, demand, way, one);
  if (waiver !== undefined)
    return note("gate_waived", named, `${text}; waived by ${quote(waiver.by)} until ${waiver.expires_at}: ${prose(waiver.reason, 500)}`);
  if (kind === "note" || check.severity === "warning") return note("gate_warning", named, text, fix);
  return refuse(kind === "stale" ? "gate_stale" : "gate_blocked", named, text, fix ?? "mend it, and ask again");
}

const passesWhen = (check: string): string =>
  (check === TREE_UNCHANGED ? "the workspace that was tested" : undefined) ??
  (check === COMMIT_TESTED ? "a commit of what was tested" : undefined) ??
  (Object.hasOwn(GATE_CHECKS, check) ? GATE_CHECKS[check]?.passes : undefined) ??
  (Object.hasOwn(ARTIFACT_RULES, check) ? ARTIFACT_RULES[check] : undefined) ??
  "it to pass";

function waiverOf(
  { kind, as }: Finding,
  { check }: Demand,
  { gate, phase }: Way,
  { book, request }: Case,
): Book["waivers"][number] | undefined {
  if (kind === "broken" || kind === "note" || request.at === undefined) return undefined;
  const at = Date.parse(request.at);
  const name = as ?? check.check;
  const gates = [gate?.id ?? phase.id];
  return book.waivers.find((one) => gates.includes(one.gate) && one.check === name && at < Date.parse(one.expires_at));
}

/** A note where an agent's own word counted for a test run. */
function words({ demands, rule, phase, gate }: Way, { compiled, view, request }: Case): readonly Verdict[] {
  if (compiled.contract.evidence.source !== "reported" || workOf(view(compiled.record), request.task).run !== null) return [];
  const names = [...new Set(demands.filter(asksForRun).map(({ check }) => check.check))];
  if (names.length === 0) return [];
  const at = { ...rule, name: `${phase.id}.gates.${gate?.id ?? "none"}.reported` };
  return [
    note(
      "gate_reported",
      at,
      `Unexpected lack of an observed test run, expected none: the contract says \`evidence: reported\`, and ${quoteAll(names, 10)} were judged on the agent's word`,
    ),
  ];
}

/** Agents that the phase starts and waits for, and that have not reported. */
function waitsFor({ phase, rule, gate }: Way, { book }: Case): Verdict | undefined {
  const wanted = phase.spawns.flatMap(({ agentType, models, waitForCompletion }) =>
    waitForCompletion ? models.map((model) => ({ agentType, model })) : [],
  );
  const reported = book.reviewers.filter(({ report }) => report !== null);
  const done = ({ agentType, model }: { readonly agentType: string; readonly model: string }): boolean =>
    reported.some((one) => one.model === model && (one.agent_type ?? agentType) === agentType);
  const silent = wanted.filter((one) => !done(one)).map(({ model }) => model);
  if (silent.length === 0) return undefined;
  return refuse(
    "gate_pending",
    { ...rule, name: `${phase.id}.gates.${gate?.id ?? "none"}.reviewers` },
    `Unexpected request while ${silent.length} agent(s) started for ${quote(phase.id)} have not reported, expected a report of each: ${quoteAll(silent, 10)}`,
    "wait for them; the host records what they report (`completeDirective`)",
  );
}

/** Whether somebody worked on the task: asked for a transition, or made calls where they were not those of a reviewer. */
export function workedOn({
  request,
  compiled,
  book,
}: Pick<Case, "compiled" | "book"> & { readonly request?: { readonly agent?: string } }): (name: string) => boolean {
  const names = new Set(
    book.workers.filter(({ asked, phases }) => asked || phases.some((phase) => !compiled.reviewing.has(phase))).map(({ name }) => name),
  );
  const asking = foldName(request?.agent ?? "");
  if (asking !== "") names.add(asking);
  return (name) => names.has(foldName(name));
}
