import { COMPLETED_PHASE } from "@bylaw/contract";
import type { EventDraft, KernelApi, View } from "@bylaw/kernel";
import { foldName, type Finding } from "@bylaw/log";
import { quote, quoteAll } from "@bylaw/wording";
import type { Compiled } from "./compile.ts";
import type { Edge } from "./edges.ts";
import { gateStateOf, gateProjection } from "./gate-projection.ts";
import { hasWorkedOn } from "./has-worked-on.ts";
import { expiryOf, gateIn } from "./gate-status.ts";
import { TESTS_UNCHANGED } from "./checks/same-tests.ts";

const finding = (rule: string, message: string): Finding => ({ rule, message });

/** Refuses events about a gate that nobody may record, in the transaction that records them. */
export function guardGates(kernel: KernelApi, compiled: Compiled): void {
  kernel.guard("decisions", (view, draft) =>
    draft.event_type === "gate_decided" ? wrongDecision(view, draft, compiled) : undefined,
  );
  kernel.guard("waivers", (view, draft) =>
    draft.event_type === "check_waived" ? wrongWaiver(view, draft, compiled) : undefined,
  );
  kernel.guard("timeouts", (view, draft) =>
    draft.event_type === "gate_escalated" || draft.event_type === "gate_closed"
      ? wrongTimeout(view, draft, compiled)
      : undefined,
  );
}

function wrongDecision(view: View, draft: EventDraft, compiled: Compiled): Finding | undefined {
  const { contract, policy } = compiled;
  const said = draft.details as Readonly<Record<string, string>>;
  const { gate: id = "", phase = "", by = "", role = "" } = said;
  const gateState = gateStateOf(view(gateProjection), draft.task_id ?? "");
  const gate = gateIn(contract, id, gateState.phase);
  const approvalRequest = gateState.openings.find((one) => one.gate === id && one.state === "open");
  if (gate === undefined || phase !== gateState.phase || approvalRequest === undefined)
    return finding("open", `the gate ${quote(id)} is not waiting for approvers`);
  const { artifacts, tree = null, to = approvalRequest.to } = draft.details;
  const shown =
    artifacts === approvalRequest.artifacts &&
    tree === approvalRequest.tree &&
    to === approvalRequest.to;
  if (!shown || said["policy"] !== approvalRequest.policy || approvalRequest.policy !== policy)
    return finding(
      "shown",
      `the decision is not about the artifacts, workspace, transition and contract that gate ${quote(id)} asks about`,
    );
  if (!gate.approvers.includes(role))
    return finding(
      "role",
      `the role ${quote(role)} may not approve gate ${quote(id)}; ${quoteAll(gate.approvers, 10)} may`,
    );
  const name = foldName(by);
  if (name === "") return finding("name", "the decision names no approver");
  if (hasWorkedOn({ compiled, gateState })(name))
    return finding("own-work", `${quote(by)} worked on the task, so somebody else must decide`);
  if (approvalRequest.votes.some((vote) => foldName(vote.by) === name))
    return finding("one-vote", `${quote(by)} has already decided`);
  if (Date.parse(draft.timestamp) < expiryOf(gate, approvalRequest) && !approvalRequest.escalated)
    return undefined;
  if (contract.recovery.gateTimeout.action === "reject")
    return finding("in-time", `the gate ${quote(id)} timed out before this decision`);
  return role !== "human" && gate.approvers.includes("human")
    ? finding(
        "in-time",
        `the gate ${quote(id)} timed out and waits for a person, with the role \`human\``,
      )
    : undefined;
}

function wrongWaiver(view: View, draft: EventDraft, compiled: Compiled): Finding | undefined {
  const said = draft.details as Readonly<Record<string, string>>;
  const {
    gate: id = "",
    phase = "",
    check = "",
    by = "",
    role = "",
    reason = "",
    expires_at = "",
  } = said;
  const gateState = gateStateOf(view(gateProjection), draft.task_id ?? "");
  const meant = edgesAt(id, gateState.phase, compiled);
  if (meant.length === 0 || phase !== gateState.phase)
    return finding("phase", `the phase that the task is in has no gate ${quote(id)}`);
  const known = [
    ...new Set([
      ...meant.flatMap(({ requirements }) =>
        requirements.map((requirement) => requirement.check.check),
      ),
      TESTS_UNCHANGED,
    ]),
  ];
  if (!known.includes(check))
    return finding(
      "check",
      `gate ${quote(id)} has no check ${quote(check)}; it has ${quoteAll(known, 20)}`,
    );
  // Only a person can waive a gate without approvers.
  const each = meant.map(({ gate }) =>
    gate !== undefined && gate.approvers.length > 0 ? gate.approvers : ["human"],
  );
  const roles = each[0]?.filter((one) => each.every((other) => other.includes(one))) ?? [];
  if (!roles.includes(role))
    return finding(
      "role",
      `the role ${quote(role)} may not waive at gate ${quote(id)}; ${quoteAll(roles, 10)} may`,
    );
  const name = foldName(by);
  if (name === "") return finding("name", "the waiver names nobody");
  if (hasWorkedOn({ compiled, gateState })(name))
    return finding("own-work", `${quote(by)} worked on the task, so somebody else must decide`);
  const why = emptyReason(reason);
  if (why !== undefined)
    return finding(
      "reason",
      `the reason ${why}; it needs at least ${REASON.characters} characters that say why: ${quote(reason)}`,
    );
  return Date.parse(expires_at) > Date.parse(draft.timestamp)
    ? undefined
    : finding("expiry", `the waiver has already expired, at ${quote(expires_at)}`);
}

/** The edges out of a phase that a gate guards. */
function edgesAt(id: string, phase: string | null, compiled: Compiled): readonly Edge[] {
  if (phase === null) return [];
  const leaving = compiled.contract.transitions.filter(({ from }) => from === phase);
  return (
    [...leaving.map(({ to }) => to), COMPLETED_PHASE]
      .flatMap((to) => compiled.edges(phase, to))
      // A gate can share its phase's name; then the rules of both apply.
      .filter(({ gate, phase: { id: own }, when }) => when === "passed" && (gate?.id ?? own) === id)
  );
}

function wrongTimeout(view: View, draft: EventDraft, { contract }: Compiled): Finding | undefined {
  const {
    gate: id = "",
    phase = "",
    opened_at = "",
  } = draft.details as Readonly<Record<string, string>>;
  const gateState = gateStateOf(view(gateProjection), draft.task_id ?? "");
  const gate = gateIn(contract, id, gateState.phase);
  const approvalRequest = gateState.openings.find(
    (one) => one.gate === id && one.state === "open" && one.opened_at === opened_at,
  );
  if (gate === undefined || approvalRequest === undefined || phase !== gateState.phase)
    return finding("open", `the gate ${quote(id)} is not open`);
  if (Date.parse(draft.timestamp) < expiryOf(gate, approvalRequest))
    return finding("in-time", `the gate ${quote(id)} has not timed out yet`);
  const closes = contract.recovery.gateTimeout.action === "reject";
  if (closes !== (draft.event_type === "gate_closed"))
    return finding("action", `the contract says \`${contract.recovery.gateTimeout.action}\``);
  return approvalRequest.escalated
    ? finding("once", `the gate ${quote(id)} is already escalated`)
    : undefined;
}

const REASON = { characters: 50, words: 6 } as const;
const STOCK =
  /^(n\/?a|none|obvious|already done|not (needed|necessary|applicable|required)|see above|as discussed|trust me|it is fine|todo|tbd|asdf|lorem ipsum)\b/i;

/** The reason why a text counts as no reason, if there is one. */
function emptyReason(reason: string): string | undefined {
  const text = foldName(reason);
  if (text.length < REASON.characters) return `has ${text.length} characters`;
  if (STOCK.test(text) && text.length < 2 * REASON.characters) return "is a stock phrase";
  const words = new Set(text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1));
  return words.size < REASON.words ? "repeats itself" : undefined;
}
