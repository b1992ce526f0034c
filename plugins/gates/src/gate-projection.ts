import { COMPLETED_PHASE } from "@bylaw/contract";
import {
  defineProjection,
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { foldName, treeGet, treePut } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import {
  EMPTY_GATE_STATE,
  type GateState,
  type GateStates,
  type ApprovalRequest,
  type Report,
  type Reviewer,
  type Worker,
} from "./gate-state.ts";
import { policyOf, textOf, votesOf } from "./recorded-votes.ts";

/** The plugins whose denials are about the submitted work. Denials by others are about who asks, and for what. */
const WORK_PLUGINS: ReadonlySet<string> = new Set([manifest.name, "@bylaw/plugin-artifacts"]);
type Fold = (gateState: GateState, event: LogEvent) => GateState;

/** The gate state of each task, from the log. An event changes only the state of its own task. */
export const gateProjection = defineProjection<GateStates>({
  name: "@bylaw/plugin-gates/book",
  version: 3,
  scope: "task",
  initial: null,
  reduce(states, event) {
    const fold = Object.hasOwn(FOLDS, event.event_type) ? FOLDS[event.event_type] : undefined;
    if (fold === undefined || event.task_id === null) return states;
    const before = treeGet(states, event.task_id) ?? EMPTY_GATE_STATE;
    const after = fold(before, event);
    return after === before ? states : treePut(states, event.task_id, after);
  },
});

export const gateStateOf = (states: GateStates, task: string): GateState =>
  treeGet(states, task) ?? EMPTY_GATE_STATE;

const FOLDS: Readonly<Record<string, Fold>> = {
  tool_allowed: (gateState, { agent_id }) =>
    gateState.phase === COMPLETED_PHASE
      ? gateState
      : withWorker(gateState, agent_id, { phase: gateState.phase }),
  phase_entered: (gateState, { agent_id, sequence, details }) => {
    const phase = textOf(details, "to");
    if (phase === COMPLETED_PHASE)
      return { ...EMPTY_GATE_STATE, phase, entered: sequence, changed: sequence };
    const { workers } = withWorker(gateState, agent_id, {});
    return { ...EMPTY_GATE_STATE, phase, entered: sequence, changed: sequence, workers };
  },
  transition_blocked: blocked,
  test_run: (gateState, { sequence }) => ({ ...gateState, changed: sequence }),
  gate_decided: (gateState, { sequence, timestamp, details }) => {
    const verdict = details["verdict"] === "approved" ? "approved" : "rejected";
    const reason = details["reason"];
    const vote = {
      by: textOf(details, "by"),
      role: textOf(details, "role"),
      verdict,
      at: timestamp,
    } as const;
    const gate = textOf(details, "gate");
    const voted = withApprovalRequest(gateState, gate, (approvalRequest) => ({
      ...approvalRequest,
      votes: [
        ...approvalRequest.votes,
        { ...vote, reason: typeof reason === "string" ? reason : null },
      ],
      state: verdict === "approved" ? approvalRequest.state : "rejected",
    }));
    const rejected =
      verdict === "rejected" && !gateState.rejected.includes(gate)
        ? [...gateState.rejected, gate]
        : gateState.rejected;
    return { ...voted, rejected, changed: sequence };
  },
  check_waived: (gateState, { sequence, details }) => {
    const [gate, check, by] = [
      textOf(details, "gate"),
      textOf(details, "check"),
      textOf(details, "by"),
    ];
    const waiver = {
      gate,
      check,
      by,
      reason: textOf(details, "reason"),
      expires_at: textOf(details, "expires_at"),
    };
    const others = gateState.waivers.filter((one) => one.gate !== gate || one.check !== check);
    return { ...gateState, waivers: [...others, waiver], changed: sequence };
  },
  gate_escalated: (gateState, { details }) =>
    withApprovalRequest(gateState, textOf(details, "gate"), (approvalRequest) => ({
      ...approvalRequest,
      escalated: true,
    })),
  gate_closed: (gateState, { details }) =>
    withApprovalRequest(gateState, textOf(details, "gate"), (approvalRequest) => ({
      ...approvalRequest,
      state: "timed_out",
    })),
  directive_issued: (gateState, { details }) => {
    const directive = textOf(details, "directive");
    if (
      details["action"] !== "spawn" ||
      gateState.reviewers.some((one) => one.directive === directive)
    )
      return gateState;
    const { model, agent_type, wait } = details;
    const started = {
      model: typeof model === "string" ? model : null,
      agent_type: typeof agent_type === "string" ? agent_type : null,
    };
    return {
      ...gateState,
      reviewers: [
        ...gateState.reviewers,
        { directive, ...started, wait: wait === true, report: null },
      ],
    };
  },
  directive_completed: (gateState, { sequence, agent_id, details }) => {
    const directive = textOf(details, "directive");
    const { agent, ok, verdict, blocking_issues: issues } = details;
    const report: Report = {
      ok: ok === true,
      agent: typeof agent === "string" ? agent : agent_id,
      verdict: verdict === "approved" || verdict === "rejected" ? verdict : null,
      blocking_issues: Array.isArray(issues) ? (issues as readonly Json[]) : [],
    };
    const reviewers = gateState.reviewers.map((one): Reviewer =>
      one.directive === directive ? { ...one, report } : one,
    );
    return { ...gateState, reviewers, changed: sequence };
  },
};

function blocked(
  gateState: GateState,
  { agent_id, sequence, timestamp, details }: LogEvent,
): GateState {
  const counted = votesOf(details).filter(
    ({ effect, shadow }) => effect !== "allow" && shadow !== true,
  );
  const votes = counted.filter(({ severity }) => severity !== "warning");
  // A request refused by another plugin (a forged token, an unknown transition) opens no gate and
  // counts as no work.
  if (gateState.phase === null || votes.some(({ plugin }) => !WORK_PLUGINS.has(plugin)))
    return gateState;
  const said = votes.filter(({ plugin }) => plugin === manifest.name);
  const [to, artifacts] = [
    textOf(details, "to"),
    isJsonObject(details["artifacts"] ?? null) ? (details["artifacts"] as JsonObject) : {},
  ];
  const asked = {
    to,
    agent: agent_id,
    artifacts,
    sequence,
    votes: counted
      .filter(({ plugin }) => WORK_PLUGINS.has(plugin))
      .map(({ code, rule }) => ({ code, rule })),
  };
  const worked = { ...withWorker(gateState, agent_id, {}), asked };
  const gates = (code: string): readonly string[] =>
    said.flatMap((vote) =>
      vote.code === code ? [gateOf(gateState.phase ?? "", vote.rule) ?? []].flat() : [],
    );
  // After a timeout the agent can ask again.
  const closed = gates("gate_timed_out");
  const left = {
    ...worked,
    openings: worked.openings.filter(
      ({ gate, state }) => state === "rejected" || !closed.includes(gate),
    ),
  };
  const [gate] = gates("gate_pending");
  const asking = ASKED_ABOUT.exec(said[0]?.reason ?? "");
  if (votes.length !== 1 || gate === undefined || asking === null) return left;
  const [, digest = "", tree = null] = asking;
  return opened(left, {
    gate,
    artifacts: digest,
    tree,
    policy: policyOf(details),
    to,
    agent: agent_id,
    opened_at: timestamp,
    request: sequence,
    earlier: earlierRequest(gateState, { gate, to, artifacts: digest }),
  });
}

/** Opens a gate for approvers, unless it is already open for exactly the same request. */
function opened(
  gateState: GateState,
  request: Omit<ApprovalRequest, "votes" | "state" | "escalated">,
): GateState {
  const { openings } = gateState;
  const known = openings.find((one) => one.gate === request.gate && one.state === "open");
  if (known !== undefined && KEYS.every((key) => known[key] === request[key])) return gateState;
  // A rejection holds until the task leaves the phase, whatever is asked in between.
  const kept = openings.filter((one) => one.gate !== request.gate || one.state === "rejected");
  return {
    ...gateState,
    openings: [...kept, { ...request, votes: [], state: "open", escalated: false }],
  };
}

/** The previous request for the same phase, if it had other artifacts. */
function earlierRequest(
  { asked, openings }: GateState,
  { gate, to, artifacts }: Pick<ApprovalRequest, "gate" | "to" | "artifacts">,
): number | null {
  const before = openings.find((one) => one.gate === gate && one.to === to);
  if (before?.artifacts === artifacts) return before.earlier;
  return before?.request ?? (asked?.to === to ? asked.sequence : null);
}

/** The fields that a yes is bound to. */
const KEYS = ["to", "artifacts", "tree", "policy"] as const;

/** The artifacts and workspace of a request, as the vote that asks for a yes names them. */
export const askedAbout = (artifacts: string, tree: string | null): string =>
  `to artifacts \`${artifacts}\`${tree === null ? "" : ` in workspace \`${tree}\``}`;

const ASKED_ABOUT =
  /to artifacts `(sha256:[0-9a-f]{64})`(?: in workspace `(sha256:[0-9a-f]{64})`)?/;

/** The name of the rule that asks approvers, in votes. */
export const approvalRule = (phase: string, gate: string): string =>
  `${phase}.gates.${gate}.approval`;

function gateOf(phase: string, rule: string): string | undefined {
  const [head, tail] = [`${phase}.gates.`, ".approval"];
  return rule.startsWith(head) && rule.endsWith(tail)
    ? rule.slice(head.length, -tail.length)
    : undefined;
}

function withWorker(
  gateState: GateState,
  agent: string | null,
  { phase }: { readonly phase?: string | null },
): GateState {
  const name = foldName(agent ?? "");
  if (name === "") return gateState;
  const known: Worker = gateState.workers.find((worker) => worker.name === name) ?? {
    name,
    asked: false,
    phases: [],
  };
  const here = phase ?? "";
  if (phase === undefined ? known.asked : known.phases.includes(here)) return gateState;
  const worker: Worker =
    phase === undefined ? { ...known, asked: true } : { ...known, phases: [...known.phases, here] };
  return { ...gateState, workers: [...gateState.workers.filter((one) => one !== known), worker] };
}

const withApprovalRequest = (
  gateState: GateState,
  gate: string,
  change: (approvalRequest: ApprovalRequest) => ApprovalRequest,
): GateState => ({
  ...gateState,
  openings: gateState.openings.map((approvalRequest) =>
    approvalRequest.gate === gate && approvalRequest.state === "open"
      ? change(approvalRequest)
      : approvalRequest,
  ),
});
