import type { Contract, Gate } from "@bylaw/contract";
import type { Verdict } from "@bylaw/kernel";
import { foldName } from "@bylaw/log";
import { prose, quote, quoteAll } from "@bylaw/wording";
import { refuse, type RuleReference } from "./codes.ts";
import type { ApprovalRequest, GateState, GateVote } from "./gate-state.ts";
import { askedAbout } from "./gate-projection.ts";
import { expiryOf } from "./gate-status.ts";

/** The question to the approvers. */
export interface Question {
  readonly contract: Contract;
  readonly gate: Gate;
  /** The requested phase. */
  readonly to: string;
  readonly gateState: GateState;
  /** The digest of the submitted artifacts. */
  readonly artifacts: string;
  /** The digest of the workspace; `null` if the contract runs no tests. */
  readonly tree: string | null;
  readonly policy: string;
  /** The agent that makes the request. */
  readonly agent: string | undefined;
  /** RFC 3339; undefined if nobody provides the time. */
  readonly at: string | undefined;
  readonly rule: RuleReference;
  readonly worked: (name: string) => boolean;
}

/** The verdict that blocks a gate with approvers; `undefined` once enough of them approved exactly these artifacts. */
export function judgeApproval(question: Question): Verdict | undefined {
  const { gate, to, gateState, artifacts, tree, policy, agent, rule, worked } = question;
  if (gate.quorum === 0) return undefined;
  // The author is unknown, so self-approval cannot be prevented.
  if (foldName(agent ?? "") === "")
    return refuse(
      "gate_blocked",
      rule,
      `The request at gate ${quote(gate.id)} names no agent, so nobody could be kept from approving their own work`,
      "Let the host name the agent",
    );
  const same = gateState.openings.filter(
    (one) =>
      one.gate === gate.id && one.to === to && one.artifacts === artifacts && one.policy === policy,
  );
  const request = same.find((one) => one.tree === tree);
  const said = request?.votes ?? [];
  const refusal = said.find(({ verdict }) => verdict === "rejected");
  if (refusal !== undefined)
    return refuse(
      "gate_blocked",
      rule,
      `${quote(refusal.by)} rejected gate ${quote(gate.id)}${refusal.reason === null ? "" : `: ${prose(refusal.reason, 500)}`}`,
      "Change what was rejected, then hand it in again",
    );
  const yes = approversIn(said).filter((name) => !worked(name));
  if (yes.length >= gate.quorum) return undefined;
  const wanted = `It needs ${gate.quorum} yes from ${quoteAll(gate.approvers, 5)} ${askedAbout(artifacts, tree)}, and has ${yes.length}`;
  return request === undefined
    ? waits(question, same.at(-1), wanted)
    : (late(question, request, wanted) ?? waits(question, undefined, wanted));
}

/** The verdict about a gate that timed out. */
function late(
  { contract, gate, at, rule }: Question,
  request: ApprovalRequest,
  wanted: string,
): Verdict | undefined {
  const expired = at !== undefined && Date.parse(at) >= expiryOf(gate, request);
  const closes = contract.recovery.gateTimeout.action === "reject";
  const opened = `The gate ${quote(gate.id)}, opened at ${request.opened_at}, timed out`;
  if (request.state === "timed_out" || (expired && closes))
    return refuse(
      "gate_timed_out",
      rule,
      `${opened}. ${wanted}`,
      "Request the transition again to open the gate anew",
    );
  if (expired || request.escalated)
    return refuse(
      "gate_needs_human",
      rule,
      `${opened}, and a person has been called. ${wanted}`,
      "Wait for a person",
    );
  return undefined;
}

/** `before`: the last request with the same artifacts, in a workspace that has changed since. */
const waits = (
  { gate, rule }: Question,
  before: ApprovalRequest | undefined,
  wanted: string,
): Verdict =>
  refuse(
    "gate_pending",
    rule,
    before === undefined
      ? `The gate ${quote(gate.id)} waits for its approvers. ${wanted}`
      : `The workspace changed after gate ${quote(gate.id)} was opened at ${before.opened_at}, so its approvers are asked again. ${wanted}`,
    "Ask again when they have decided, and leave the workspace unchanged until then",
  );

const approversIn = (votes: readonly GateVote[]): readonly string[] => [
  ...new Set(votes.filter(({ verdict }) => verdict === "approved").map(({ by }) => foldName(by))),
];
