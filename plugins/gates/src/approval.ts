import type { Contract, Gate } from "@bylaw/contract";
import type { Verdict } from "@bylaw/kernel";
import { foldName } from "@bylaw/log";
import { prose, quote, quoteAll } from "@bylaw/wording";
import { refuse, type RuleReference } from "./codes.ts";
import type { GateState, GateVote } from "./gate-state.ts";
import { askedAbout } from "./gate-projection.ts";
import { expiryOf } from "./gate-status.ts";

/** What is asked of approvers. */
export interface Question {
  readonly contract: Contract;
  readonly gate: Gate;
  /** The phase that is asked for. */
  readonly to: string;
  readonly gateState: GateState;
  /** The digest of the artifacts that are handed in. */
  readonly artifacts: string;
  /** The digest of the workspace; `null` where the contract has no tests that are run. */
  readonly tree: string | null;
  readonly policy: string;
  /** Who asks. */
  readonly agent: string | undefined;
  /** RFC 3339; undefined where nobody says what time it is. */
  readonly at: string | undefined;
  readonly rule: RuleReference;
  readonly worked: (name: string) => boolean;
}

/**
 * What blocks a gate with approvers; `undefined` once enough of them approved exactly these
 * artifacts.
 */
export function judgeApproval({
  contract,
  gate,
  to,
  gateState,
  artifacts,
  tree,
  policy,
  agent,
  at,
  rule,
  worked,
}: Question): Verdict | undefined {
  if (gate.quorum === 0) return undefined;
  const { id, approvers, quorum } = gate;
  // The author is unknown, so self-approval could not be prevented.
  if (foldName(agent ?? "") === "")
    return refuse(
      "gate_blocked",
      rule,
      `The request at gate ${quote(id)} names no agent, so nobody could be kept from approving their own work`,
      "Let the host name the agent",
    );
  const same = gateState.openings.filter(
    (one) =>
      one.gate === id && one.to === to && one.artifacts === artifacts && one.policy === policy,
  );
  const approvalRequest = same.find((one) => one.tree === tree);
  const said = approvalRequest?.votes ?? [];
  const refusal = said.find(({ verdict }) => verdict === "rejected");
  if (refusal !== undefined)
    return refuse(
      "gate_blocked",
      rule,
      `${quote(refusal.by)} rejected gate ${quote(id)}${refusal.reason === null ? "" : `: ${prose(refusal.reason, 500)}`}`,
      "Change what was rejected, then hand it in again",
    );
  const yes = approversIn(said).filter((name) => !worked(name));
  if (yes.length >= quorum) return undefined;
  const wanted = `It needs ${quorum} yes from ${quoteAll(approvers, 5)} ${askedAbout(artifacts, tree)}, and has ${yes.length}`;
  const expired =
    approvalRequest !== undefined &&
    at !== undefined &&
    Date.parse(at) >= expiryOf(gate, approvalRequest);
  const closes = contract.recovery.gateTimeout.action === "reject";
  if (
    approvalRequest !== undefined &&
    (approvalRequest.state === "timed_out" || (expired && closes))
  )
    return refuse(
      "gate_timed_out",
      rule,
      `The gate ${quote(id)}, opened at ${approvalRequest.opened_at}, timed out. ${wanted}`,
      "Request the transition again to open the gate anew",
    );
  if (approvalRequest !== undefined && (expired || approvalRequest.escalated))
    return refuse(
      "gate_needs_human",
      rule,
      `The gate ${quote(id)}, opened at ${approvalRequest.opened_at}, timed out, and a person has been called. ${wanted}`,
      "Wait for a person",
    );
  const before = same.at(-1);
  return refuse(
    "gate_pending",
    rule,
    approvalRequest === undefined && before !== undefined
      ? `The workspace changed after gate ${quote(id)} was opened at ${before.opened_at}, so its approvers are asked again. ${wanted}`
      : `The gate ${quote(id)} waits for its approvers. ${wanted}`,
    "Ask again when they have decided, and leave the workspace unchanged until then",
  );
}

/** The different people who said yes. */
const approversIn = (votes: readonly GateVote[]): readonly string[] => [
  ...new Set(votes.filter(({ verdict }) => verdict === "approved").map(({ by }) => foldName(by))),
];
